import { type InfiniteData, type QueryKey, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { ask, type Question } from '../api/graph.ts'

interface PageInfo {
  hasNextPage: boolean
  endCursor: string | null
}

/**
 * A list, page after page along the service's cursors, which show it as of its first page: what was read is not read
 * again before somebody asks for the list anew.
 */
export function usePages<Answer>(
  key: QueryKey,
  question: (after: string | undefined) => Question,
  pageInfo: (answer: Answer) => PageInfo | undefined,
): UseInfiniteQueryResult<InfiniteData<Answer>> {
  return useInfiniteQuery({
    queryKey: ['graph', ...key],
    queryFn: ({ pageParam }) => ask<Answer>(question(pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (answer) => {
      const info = pageInfo(answer)
      return info?.hasNextPage === true ? (info.endCursor ?? undefined) : undefined
    },
    staleTime: Infinity,
    gcTime: 0,
  })
}
