import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

/** Rules of a space. */
export function auditedRules(world: AuditedWorld): Operation[] {
  const { own, operator } = auditedRequests(world)
  let counter = 0
  const rules = () => ({
    rules: [{ id: 'claims', description: 'A rule', kind: 'claim', points: (counter += 1) }],
  })
  let version = 0
  const withRules = async () => {
    const someone = await operator()
    const set = await someone.browser.call('PUT', '/api/spaces/40/rules', rules())
    ;({ version } = set.json<{ version: number }>())
    return someone
  }

  return [
    own('rules.changed', 'PUT', '/api/spaces/40/rules', rules, operator),
    own('rules.replayed', 'POST', '/api/spaces/40/rules/replay', () => ({ version }), withRules),
  ]
}
