import { useQueries } from '@tanstack/react-query'
import { logosQuery } from '../api/explore.ts'

/** A page of a list of quests. */
type Page = readonly { space: { id: string } }[]

/** The logos of the spaces of listed quests, by the ID of the space: one read for each page, so that the next page does not repeat the others. */
export const useLogos = (pages: readonly Page[]): Record<string, string> =>
  useQueries({
    queries: pages.map((page) => logosQuery([...new Set(page.map(({ space }) => space.id))])),
    combine: (reads) => Object.assign({}, ...reads.map(({ data }) => data)) as Record<string, string>,
  })
