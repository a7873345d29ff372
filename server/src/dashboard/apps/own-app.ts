import type { AccountCaller } from '../../api/route.ts'
import { isOperator } from '../../accounts/account.queries.ts'
import { notFound } from '../../errors.ts'
import type { Services } from '../../services.ts'
import type { App } from '../../oauth/app.queries.ts'
import { requireApp } from '../../oauth/apps.ts'

type Caller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: string } }

/** The app named in the path, if the account owns it. @throws ApiError not_found */
export async function ownApp({ services, accountId, params: { id } }: Caller): Promise<App> {
  const app = await requireApp(services, id)
  if (app.ownerAccountId !== accountId) throw notFound('App')
  return app
}

/** The app named in the path, for its owner and for operators. @throws ApiError not_found */
export async function reviewedApp({ services, accountId, params: { id } }: Caller): Promise<App> {
  const app = await requireApp(services, id)
  const mayRead = app.ownerAccountId === accountId || (await isOperator(services.database.kysely, accountId))
  if (!mayRead) throw notFound('App')
  return app
}
