import type { EffectiveRole } from '../api/content.ts'

/** The rights of each role (docs/roles.md). The service enforces them; pages hide actions that it would reject. */
export const mayEdit = (standing: EffectiveRole) => standing !== 'viewer'
export const mayDelete = (standing: EffectiveRole) => standing === 'owner' || standing === 'operator'
export const mayManage = (standing: EffectiveRole) => standing !== 'viewer' && standing !== 'editor'
