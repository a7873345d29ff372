import { Button } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { content as texts } from '../texts/index.ts'

const SHOWN = 5

interface First<Item> {
  shown: readonly Item[]
  /** The id of the element that contains the list. */
  listId: string
  /** Shows all items, or the first ones again; null for a short list. */
  button: ReactNode
}

/** The first items of a list, and a button that shows all. */
export function useFirst<Item>(items: readonly Item[], label: (count: number) => string): First<Item> {
  const [showsAll, setShowsAll] = useState(false)
  const listId = useId()
  if (items.length <= SHOWN) return { shown: items, listId, button: null }
  const button = (
    <Button variant="default" aria-expanded={showsAll} aria-controls={listId} onClick={() => setShowsAll(!showsAll)}>
      {showsAll ? texts.fewer : label(items.length)}
    </Button>
  )
  return { shown: showsAll ? items : items.slice(0, SHOWN), listId, button }
}
