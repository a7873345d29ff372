import type { EffectiveRole } from '../api/content.ts'
import type { MemberRole } from '../api/teams.ts'

/** The roles that a role can assign and remove (docs/roles.md). The service enforces them; pages hide the others. */
export function rolesToGive(standing: EffectiveRole): readonly MemberRole[] {
  if (standing === 'owner' || standing === 'operator') return ['admin', 'editor', 'viewer']
  return standing === 'admin' ? ['editor', 'viewer'] : []
}
