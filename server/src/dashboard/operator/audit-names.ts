import { findAccountNames } from '../../accounts/account.queries.ts'
import type { StoredEvent } from '../../audit/audit.queries.ts'
import { namesOfSpaces } from '../../bans/subject.queries.ts'
import type { Services } from '../../services.ts'
import { findBanSubjects, findFileNames } from './audit-names.queries.ts'

/** PostgreSQL stores the id in 32 bits. */
const MAX_SPACE_ID = 2_147_483_647

/** The names for a page of the log of operators: one look-up for each kind. Entries themselves have only IDs. */
export async function namesOfEvents({ database: { kysely } }: Pick<Services, 'database'>, events: StoredEvent[]) {
  const [spaces, bans, files] = await Promise.all([
    namesOfSpaces(kysely, spaceIdsOf(events)),
    findBanSubjects(kysely, detailsOf(events, 'ban')),
    findFileNames(kysely, detailsOf(events, 'import')),
  ])
  const accounts = [...events.map(({ accountId }) => accountId), ...bans.flatMap(({ accountId }) => accountId ?? [])]
  const usernames = await findAccountNames(kysely, accounts)
  return {
    usernames: Object.fromEntries(usernames),
    spaceNames: Object.fromEntries(spaces),
    bans: Object.fromEntries(bans.map(({ id, ...subject }) => [id, subject])),
    fileNames: Object.fromEntries(files),
  }
}

function detailsOf(events: readonly StoredEvent[], name: string): string[] {
  return [...new Set(events.flatMap(({ details }) => details?.[name] ?? []))]
}

/** The spaces of details such as `space: "40"`, and of `kind: "space", id: "40-3"`. */
function spaceIdsOf(events: readonly StoredEvent[]): number[] {
  const texts = events.flatMap(({ details: { space, kind, id } = {} }) => [
    space ?? '',
    kind === 'space' || kind === 'sprint' ? (id ?? '') : '',
  ])
  const ids = texts.flatMap((text) => /^(\d{1,10})(?:-\d+)?$/.exec(text)?.[1] ?? []).map(Number)
  return [...new Set(ids.filter((id) => id <= MAX_SPACE_ID))]
}
