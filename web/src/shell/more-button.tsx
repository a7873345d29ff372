import { Button } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'

interface MoreButtonProps {
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  label: string
  size?: 'xs' | 'sm'
}

/** Reads the next page of a list, while there is one. */
export function MoreButton({ list, label, size = 'sm' }: MoreButtonProps) {
  if (!list.hasNextPage) return null
  return (
    <div>
      <Button size={size} variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
}
