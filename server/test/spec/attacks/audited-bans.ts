import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

/** Bans by operators. */
export function auditedBans(world: AuditedWorld): Operation[] {
  const { own, about, operator } = auditedRequests(world)
  let counter = 0
  const ban = () => ({ address: `banned${(counter += 1)}`, reason: 'Bots' })

  return [
    own('ban.created', 'POST', '/api/operator/bans', ban, operator),
    about(
      'ban.lifted',
      'POST',
      async ({ browser }) => {
        const { id } = (await browser.call('POST', '/api/operator/bans', ban())).json<{ id: string }>()
        return `/api/operator/bans/${id}/lift`
      },
      undefined,
      operator,
    ),
  ]
}
