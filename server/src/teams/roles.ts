/** The roles in the team of a space. One account at most is the owner (spaces.owner_account_id). */
export const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** The roles that an invitation gives. */
export const MEMBER_ROLES = ['admin', 'editor', 'viewer'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/**
 * `view`: read drafts, private quests and the team. `edit`: create and change content. `manage`: the space itself, its
 * public page, deletions, and the team below admin. `own`: admins, the owner, and the deletion of the space.
 */
export type Right = 'view' | 'edit' | 'manage' | 'own'

const rights: Record<Role, readonly Right[]> = {
  owner: ['view', 'edit', 'manage', 'own'],
  admin: ['view', 'edit', 'manage'],
  editor: ['view', 'edit'],
  viewer: ['view'],
}

export const hasRight = (role: Role, right: Right): boolean => rights[role].includes(right)

export const rolesWith = (right: Right): Role[] => ROLES.filter((role) => hasRight(role, right))

/** The right that a caller needs to give or take a role. */
export const rightToGive = (role: Role): Right => (role === 'owner' || role === 'admin' ? 'own' : 'manage')
