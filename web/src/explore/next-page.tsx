import { Button, Text } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { LoadFailure } from '../shell/load-failure.tsx'
import { shell } from '../texts/index.ts'

/** The next page is loaded when the end of the list is this far below the visible part. */
const PRELOAD_MARGIN = '600px'

interface NextPageProps {
  pages: UseInfiniteQueryResult
  /** The text with the number of shown entries. */
  shown: string
  /** Loads the next page only on a click, not on scrolling. */
  byButton?: boolean
}

/** The end of a list. Loads the next page when the end comes near the visible part, and on a click. */
export function NextPage({ pages, shown, byButton = false }: NextPageProps) {
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages
  const waits = !byButton && hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (!waits || !end.current) return
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting === true) void fetchNextPage()
      },
      { rootMargin: PRELOAD_MARGIN },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [waits, fetchNextPage])
  return (
    <div ref={end} className="next-page">
      <Text size="sm" c="dimmed" role="status">
        {shown}
      </Text>
      {isFetchNextPageError && pages.error && <LoadFailure error={pages.error} retry={() => void pages.refetch()} />}
      {hasNextPage && !isFetchNextPageError && (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {shell.more}
        </Button>
      )}
    </div>
  )
}
