import { type InfiniteData, type QueryKey, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { runQuery, type GraphqlRequest } from '../api/graph.ts'

interface PageInfo {
  hasNextPage: boolean
  endCursor: string | null
}

/**
 * Loads a list page by page with the service's cursors, which show the list at the time of its first page. Loaded pages
 * are not loaded again until the user reloads the list.
 */
export function usePages<Answer>(
  key: QueryKey,
  request: (after: string | undefined) => GraphqlRequest,
  pageInfo: (answer: Answer) => PageInfo | undefined,
): UseInfiniteQueryResult<InfiniteData<Answer>> {
  return useInfiniteQuery({
    queryKey: ['graph', ...key],
    queryFn: ({ pageParam }) => runQuery<Answer>(request(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (answer) => {
      const info = pageInfo(answer)
      return info?.hasNextPage === true ? (info.endCursor ?? undefined) : undefined
    },
    staleTime: Infinity,
    gcTime: 0,
  })
}
