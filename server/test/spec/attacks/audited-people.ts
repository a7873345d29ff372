import { expect } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

/** Operators who change the accounts of other people. */
export function auditedPeople(world: AuditedWorld): Operation[] {
  const { signedIn, about, operator, own } = auditedRequests(world)

  const person = async (path = '') => `/api/operator/people/${(await signedIn()).account.id}${path}`
  const otherOperator = async () => {
    const { account } = await signedIn()
    await setOperator(world.service.database.kysely, account.id, new Date(world.service.clock.now()))
    return `/api/operator/people/${account.id}/operator`
  }

  /** Something of another account that an operator ends. */
  const ofPerson = async (kind: string, body: object) => {
    const { browser, account } = await operator()
    const made = await browser.call('POST', `/api/${kind}`, body)
    expect(made.statusCode, made.body).toBe(201)
    const { tokenId, id } = made.json<{ tokenId?: string; id: string }>()
    return `/api/operator/people/${account.id}/${kind}/${tokenId ?? id}`
  }
  const hook = { url: 'https://example.com/x', events: ['points.awarded'], spaceIds: [40] }
  const address = { address: 'ann' }

  return [
    about('account.suspended', 'POST', () => person('/suspend'), { reason: 'Bots' }, operator),
    about(
      'account.resumed',
      'POST',
      async ({ browser }) => {
        const path = await person()
        expect((await browser.call('POST', `${path}/suspend`, { reason: 'Bots' })).statusCode).toBe(200)
        // The test reads the entries of its last request.
        await world.service.database.query("DELETE FROM security_events WHERE event = 'account.suspended'")
        return `${path}/resume`
      },
      undefined,
      operator,
    ),
    about('account.operator-granted', 'PUT', () => person('/operator'), undefined, operator),
    about('account.operator-withdrawn', 'DELETE', otherOperator, undefined, operator),
    about('operator.invited', 'POST', () => Promise.resolve('/api/operator/invitations'), undefined, operator),
    about('person.account-exported', 'POST', () => person('/export'), undefined, operator),
    about('person.account-erased', 'DELETE', () => person(), undefined, operator),
    own('person.address-exported', 'POST', '/api/operator/addresses/export', address, operator),
    own('person.address-erased', 'POST', '/api/operator/addresses/erase', address, operator),
    about('token.revoked', 'DELETE', () => ofPerson('tokens', { name: 'T' }), undefined, operator),
    about(
      'ingest-token.revoked',
      'DELETE',
      () => ofPerson('ingest-tokens', { name: 'I', spaces: [40] }),
      undefined,
      operator,
    ),
    about('webhook.deleted', 'DELETE', () => ofPerson('webhooks', hook), undefined, operator),
  ]
}
