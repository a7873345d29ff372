import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { spaceQuery } from './content.ts'
import { change, queryClient } from './session.ts'

export type MemberRole = 'admin' | 'editor' | 'viewer'

export interface TeamInvitation {
  space: { spaceId: number; name: string }
  role: MemberRole
  expiresAt: string
}

/** The role that a one-time link gives. The code is in the body, so that no log contains it. */
export const teamInvitationQuery = (code: string) =>
  queryOptions({
    queryKey: ['team-invitation', code],
    queryFn: () => change<TeamInvitation>('POST', '/api/team-invitations/view', { code }),
    staleTime: Infinity,
  })

export const joinTeam = (code: string): Promise<{ spaceId: number; role: MemberRole }> =>
  change('POST', '/api/team-invitations/accept', { code })

export interface Team {
  owner: { id: string; username: string } | null
  members: { account: { id: string; username: string }; role: MemberRole; addedAt: string }[]
  /** Empty for accounts that may not invite. */
  invitations: { id: string; role: MemberRole; createdAt: string; expiresAt: string }[]
}

const teamPath = (spaceId: number) => `/api/spaces/${spaceId}/team`

export const teamQuery = (spaceId: number) =>
  queryOptions({ queryKey: ['team', spaceId], queryFn: () => send<Team>('GET', teamPath(spaceId)) })

/** Reads the team and the space again, because a changed role of the account changes the actions on the page of the space. */
export const readTeamAgain = (spaceId: number) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: teamQuery(spaceId).queryKey }),
    queryClient.invalidateQueries({ queryKey: spaceQuery(String(spaceId)).queryKey }),
  ])

export const inviteMember = (spaceId: number, role: MemberRole): Promise<{ id: string; url: string }> =>
  change('POST', `${teamPath(spaceId)}/invitations`, { role })

export const withdrawInvitation = (spaceId: number, id: string): Promise<void> =>
  change('DELETE', `${teamPath(spaceId)}/invitations/${id}`)

export const changeRole = (spaceId: number, account: string, role: MemberRole): Promise<void> =>
  change('PUT', `${teamPath(spaceId)}/${account}`, { role })

export const removeMember = (spaceId: number, account: string): Promise<void> =>
  change('DELETE', `${teamPath(spaceId)}/${account}`)

export const transferSpace = (spaceId: number, account: string): Promise<void> =>
  change('PUT', `/api/spaces/${spaceId}/owner`, { account })
