import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { publicLogoPath } from '../../public-pages/space-logo.ts'
import { countMembers } from '../../public-pages/space-pages.queries.ts'
import {
  countOpenQuests,
  type EntryKind,
  type PageOfKind,
  searchCredentials,
  searchSpaces,
  searchStarboards,
} from './explore.queries.ts'

/** A page of the objects of each kind, with the public facts that its rows show. No statement is sent for each row. */
export const listedEntries: Record<EntryKind, (kysely: Kysely<DB>, page: PageOfKind) => Promise<{ id: string }[]>> = {
  async spaces(kysely, page) {
    const spaces = await searchSpaces(kysely, page)
    const ids = spaces.map(({ id }) => Number(id))
    const [members, openQuests] = await Promise.all([countMembers(kysely, ids), countOpenQuests(kysely, ids)])
    return spaces.map(({ id, name, ...logo }) => ({
      id,
      name,
      logo: publicLogoPath(logo) ?? null,
      members: members.get(Number(id)) ?? 0,
      openQuests: openQuests.get(Number(id)) ?? 0,
    }))
  },

  starboards: searchStarboards,

  async credentials(kysely, page) {
    const credentials = await searchCredentials(kysely, page)
    return credentials.map(({ id, name, holders, spaceId, spaceName, ...logo }) => ({
      id,
      name,
      holders,
      space: spaceId === null ? null : { id: spaceId, name: spaceName, logo: publicLogoPath(logo) ?? null },
    }))
  },
}
