import type { Standing } from '../api/content.ts'

/** What the service allows a standing to do (docs/roles.md). The service decides; pages hide what it would refuse. */
export const mayEdit = (standing: Standing) => standing !== 'viewer'
export const mayDelete = (standing: Standing) => standing === 'owner' || standing === 'operator'
export const mayManage = (standing: Standing) => standing !== 'viewer' && standing !== 'editor'
