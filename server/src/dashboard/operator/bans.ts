import type { FastifyInstance } from 'fastify'
import { findAccountByName } from '../../accounts/account.queries.ts'
import { route } from '../../api/route.ts'
import { createBan, liftBan, listBans } from '../../bans/bans.ts'
import { boardsOfBan, readSubject } from '../../bans/subject.ts'
import { notFound } from '../../errors.ts'
import { withPerson } from '../../sessions/with-person.ts'
import type { Services } from '../../services.ts'
import { withOperator } from '../../sessions/with-account.ts'
import { banDescriptions } from './ban-route-descriptions.ts'

const PAGE_SIZE = 50

/** `/api/operator/bans…`: accounts and addresses that are excluded from boards, claims and snapshots. */
export function registerOperatorBans(scope: FastifyInstance, services: Services): void {
  route(scope, services, banDescriptions.bans, async ({ services, query: { account, after, ...filter } }) => {
    const found = account === undefined ? undefined : await findAccountByName(services.database.kysely, account)
    if (account !== undefined && !found) throw notFound('Account')
    return listBans(services, { ...filter, accountId: found?.id }, { first: PAGE_SIZE, after })
  })

  route(scope, services, banDescriptions.banSubject, ({ services, query }) =>
    readSubject(services.database.kysely, query),
  )

  route(scope, services, banDescriptions.ban, async ({ services, session, accountId, network, body }) => {
    const author = { accountId, network }
    const ban = await createBan(services, body, author, (work, banned) =>
      banned === undefined ? withOperator(services, session, work) : withPerson(services, banned, work),
    )
    return { ...ban, boards: await boardsOfBan(services.database.kysely, ban) }
  })

  route(scope, services, banDescriptions.liftBan, ({ services, session, accountId, network, params: { id } }) =>
    liftBan(services, id, { accountId, network }, (work) => withOperator(services, session, work)),
  )
}
