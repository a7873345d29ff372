import { findAccountNames } from '../../accounts/account.queries.ts'
import type { StoredEvent } from '../../audit/audit.queries.ts'
import { namesOfSpaces } from '../../bans/subject.queries.ts'
import type { Services } from '../../services.ts'
import { findBanSubjects, findFileNames, findObjectNames, findWebhooks } from './audit-names.queries.ts'

/** PostgreSQL stores the ids of spaces in 32 bits, and those of credentials in 64. */
const MAX_SPACE_ID = 2_147_483_647
const MAX_CREDENTIAL_ID = 9_223_372_036_854_775_807n

/** The names for a page of the log of operators: one look-up for each kind. Entries themselves have only IDs. */
export async function namesOfEvents({ database: { kysely } }: Pick<Services, 'database'>, events: StoredEvent[]) {
  const [spaces, bans, files, quest, credential, starboard, apps, webhooks] = await Promise.all([
    namesOfSpaces(kysely, spaceIdsOf(events)),
    findBanSubjects(kysely, detailsOf(events, 'ban')),
    findFileNames(kysely, detailsOf(events, 'import')),
    findObjectNames(kysely, 'quest', objectsOf(events, 'quest')),
    findObjectNames(kysely, 'credential', objectsOf(events, 'credential').filter(isCredentialId)),
    findObjectNames(kysely, 'starboard', objectsOf(events, 'starboard')),
    findObjectNames(kysely, 'app', [...new Set(events.flatMap(({ clientId }) => clientId ?? []))]),
    findWebhooks(kysely, detailsOf(events, 'webhook')),
  ])
  const accounts = [...events.map(({ accountId }) => accountId), ...bans.flatMap(({ accountId }) => accountId ?? [])]
  const usernames = await findAccountNames(kysely, accounts)
  return {
    usernames: Object.fromEntries(usernames),
    spaceNames: Object.fromEntries(spaces),
    bans: Object.fromEntries(bans.map(({ id, ...subject }) => [id, subject])),
    fileNames: Object.fromEntries(files),
    objectNames: { quest, credential, starboard },
    appNames: apps,
    webhooks: Object.fromEntries(
      webhooks.map(({ id, accountId, url }) => [id, { accountId, host: new URL(url).host }]),
    ),
  }
}

function detailsOf(events: readonly StoredEvent[], name: string): string[] {
  return [...new Set(events.flatMap(({ details }) => details?.[name] ?? []))]
}

/** The objects of details such as `quest: "GC1"`, and of `kind: "quest", id: "GC1"`. */
function objectsOf(events: readonly StoredEvent[], kind: string): string[] {
  const ofKind = events.flatMap(({ details }) => (details?.kind === kind ? (details.id ?? []) : []))
  return [...new Set([...detailsOf(events, kind), ...ofKind])]
}

const isCredentialId = (text: string) => /^\d{1,19}$/.test(text) && BigInt(text) <= MAX_CREDENTIAL_ID

/** The spaces of details such as `space: "40"`, and of `kind: "space", id: "40-3"`. */
function spaceIdsOf(events: readonly StoredEvent[]): number[] {
  const texts = events.flatMap(({ details: { space, kind, id } = {} }) => [
    space ?? '',
    kind === 'space' || kind === 'sprint' ? (id ?? '') : '',
  ])
  const ids = texts.flatMap((text) => /^(\d{1,10})(?:-\d+)?$/.exec(text)?.[1] ?? []).map(Number)
  return [...new Set(ids.filter((id) => id <= MAX_SPACE_ID))]
}
