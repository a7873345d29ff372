import type { Services } from '../services.ts'
import { accountOfSubject, pairwiseSubject } from '../secrets/pairwise-subject.ts'
import type { App } from './app.queries.ts'
import { pairwiseKey } from './pairwise-key.ts'

type AppWithSector = Pick<App, 'subjectType' | 'redirectUris'>

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/**
 * The sector identifier: the host of all redirect URIs (OpenID Connect Core 8.1). Undefined if the app has public
 * subjects.
 */
export function sectorOf({ subjectType, redirectUris: [uri = ''] }: AppWithSector): string | undefined {
  if (subjectType !== 'pairwise') return undefined
  const host = URL.parse(uri)?.hostname
  // Throws instead of using a public subject, which would reveal the account ID.
  if (!host)
    throw new Error(`An app with pairwise subjects has the redirect URI ${JSON.stringify(uri)}, without a host`)
  return host
}

/** The claim `sub` of an account for an app. */
export async function subjectFor(services: Services, app: AppWithSector, accountId: string): Promise<string> {
  const sector = sectorOf(app)
  return sector === undefined ? accountId : pairwiseSubject(await pairwiseKey(services), sector, accountId)
}

/** The account of a claim `sub` of an app; undefined if the subject has another form, so that it was never issued. */
export async function accountFor(services: Services, app: AppWithSector, subject: string): Promise<string | undefined> {
  const sector = sectorOf(app)
  if (sector === undefined) return UUID.test(subject) ? subject : undefined
  return accountOfSubject(await pairwiseKey(services), sector, subject)
}
