import type { EffectiveRole } from '../api/content.ts'

/** What the service allows a standing to do (docs/roles.md). The service decides; pages hide what it would refuse. */
export const mayEdit = (standing: EffectiveRole) => standing !== 'viewer'
export const mayDelete = (standing: EffectiveRole) => standing === 'owner' || standing === 'operator'
export const mayManage = (standing: EffectiveRole) => standing !== 'viewer' && standing !== 'editor'
