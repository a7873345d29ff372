import type { EffectiveRole } from '../api/content.ts'
import type { MemberRole } from '../api/teams.ts'

/** The roles that a standing may give and take (docs/roles.md). The service decides; pages hide what it would refuse. */
export function rolesToGive(standing: EffectiveRole): readonly MemberRole[] {
  if (standing === 'owner' || standing === 'operator') return ['admin', 'editor', 'viewer']
  return standing === 'admin' ? ['editor', 'viewer'] : []
}
