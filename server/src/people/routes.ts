import type { FastifyInstance } from 'fastify'
import { isOperator, setOperator } from '../accounts/account.queries.ts'
import { inviteOperator } from '../accounts/operator-invitations.ts'
import { canonicalMember } from '../addresses/addresses.ts'
import { route } from '../api/route.ts'
import { audit } from '../audit/audit.ts'
import { conflict, notFound } from '../errors.ts'
import { eraseAccount } from '../personal-data/erase-account.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import { OPERATOR_LINK_LIFETIME } from '../lifetimes.ts'
import { nowOf, type Services } from '../services.ts'
import { requireLiveOperator, type SessionServices, withOperator } from '../sessions/with-account.ts'
import { registerAccessOfPerson } from './access-of-person.ts'
import { registerAddresses } from './addresses.ts'
import { peopleDescriptions } from './route-descriptions.ts'
import { listPeople, type Person, searchPeople } from './people.queries.ts'
import { readProfile } from './profile.ts'
import { checkedReason, resumeAccount, suspendAccount } from './suspension.ts'
import { withPerson } from '../sessions/with-person.ts'
import { withdrawOperator } from './withdraw-operator.ts'

/**
 * `/api/operator/people…`: the accounts of the installation. `/api/operator/invitations`: links that make an account an
 * operator. `/api/operator/addresses/…`: export and erasure of a wallet address, a mail address or a handle.
 */
export function registerPeople(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, peopleDescriptions.list, async ({ query: { search, first, after } }) => {
    if (search !== '') {
      // Identities store addresses and handles in canonical form.
      const canonical = canonicalMember(search)
      const spellings = [...new Set([search, ...(canonical === undefined ? [] : [canonical])])]
      return { items: await searchPeople(kysely, search, spellings, first), next: null }
    }
    const people = await listPeople(kysely, after, first + 1)
    const items = people.slice(0, first)
    return { items, next: people.length > first ? cursorAfter(items.at(-1) as Person) : null }
  })

  route(scope, services, peopleDescriptions.view, ({ services, params: { id } }) => readProfile(services, id))

  route(scope, services, peopleDescriptions.suspend, ({ services, network, params: { id }, body }) => {
    refuseOwnAccount(services, id)
    const reason = checkedReason(body.reason)
    return withPerson(services, id, (trx) => suspendAccount(services, trx, id, reason, { network, by: 'operator' }))
  })

  route(scope, services, peopleDescriptions.resume, ({ services, network, params: { id } }) =>
    withPerson(services, id, (trx) => resumeAccount(services, trx, id, { network, by: 'operator' })),
  )

  route(scope, services, peopleDescriptions.grantOperator, ({ services, network, params: { id } }) =>
    withPerson(services, id, async (trx) => {
      if (await isOperator(trx, id)) return
      await setOperator(trx, id, nowOf(services))
      const entry = { accountId: id, event: 'account.operator-granted', network, details: { by: 'operator' } } as const
      await audit(services, entry, trx)
    }),
  )

  route(scope, services, peopleDescriptions.withdrawOperator, ({ services, network, params: { id } }) => {
    refuseOwnAccount(services, id)
    return withPerson(services, id, async (trx) => {
      if (await isOperator(trx, id)) await withdrawOperator(services, trx, id, { network, by: 'operator' })
    })
  })

  route(scope, services, peopleDescriptions.invite, ({ services, session, network }) =>
    withOperator(services, session, async (trx) => {
      const invitation = await inviteOperator({ ...services, database: { kysely: trx } }, OPERATOR_LINK_LIFETIME)
      const entry = { accountId: session.accountId, event: 'operator.invited', network } as const
      await audit(services, entry, trx)
      return invitation
    }),
  )

  route(scope, services, peopleDescriptions.export, async ({ services, network, params: { id } }) => {
    await withPerson(services, id, (trx) =>
      audit(services, { accountId: id, event: 'person.account-exported', network, details: { by: 'operator' } }, trx),
    )
    const found = await exportPerson(kysely, { accountId: id }, services.clock.now(), services.site)
    if (!found) throw notFound('Account')
    return found
  })

  route(scope, services, peopleDescriptions.erase, async ({ services, accountId, network, params: { id } }) => {
    refuseOwnAccount(services, id)
    // Do not pass the operator as actor: eraseAccount rejects a session of another account than the erased one. The callback
    // checks the operator's session.
    const { actor, ...others } = services
    const isErased = await eraseAccount(others, id, async (trx) => {
      await requireLiveOperator(trx, actor)
      // The entry belongs to the operator, because the entries of the erased account are deleted with it.
      const details = { account: id, by: 'operator' }
      await audit(services, { accountId, event: 'person.account-erased', network, details }, trx)
    })
    if (!isErased) throw notFound('Account')
  })

  registerAccessOfPerson(scope, services)
  registerAddresses(scope, services)
}

const cursorAfter = ({ createdAt, id }: Person) => `${createdAt.toISOString()}_${id}`

/** @throws ApiError own_account, so that operators do not lock themselves out */
function refuseOwnAccount({ actor }: SessionServices, accountId: string): void {
  if (actor.accountId === accountId) throw conflict('own_account', 'Operators cannot do this to their own account')
}
