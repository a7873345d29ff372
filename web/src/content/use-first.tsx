import { Button } from '@mantine/core'
import { type ReactElement, type ReactNode, useId, useState } from 'react'
import { FormPart, mayClose, useFormPart } from '../shell/unsaved.ts'
import { content as texts } from '../texts/index.ts'

const SHOWN = 5

interface First {
  /** The shown rows. */
  rows: ReactNode
  /** The id of the element that contains the list. */
  listId: string
  /** Shows all items, or the first ones again; null for a short list. */
  button: ReactNode
}

/**
 * The first rows of a list, and a button that shows all. It asks before it closes a form with unsaved changes.
 * @param rows elements with keys
 */
export function useFirst(rows: readonly ReactElement[], label: (count: number) => string): First {
  const [showsAll, setShowsAll] = useState(false)
  const others = useFormPart()
  const listId = useId()
  const isLong = rows.length > SHOWN
  const change = () => {
    if (!showsAll || mayClose(others)) setShowsAll(!showsAll)
  }
  const button = (
    <Button variant="default" aria-expanded={showsAll} aria-controls={listId} onClick={change}>
      {showsAll ? texts.fewer : label(rows.length)}
    </Button>
  )
  // One list, because a row that moves to another one would lose its form.
  const shown = rows.slice(0, showsAll ? undefined : SHOWN).map((row, place) => (
    <FormPart key={row.key} value={place < SHOWN ? undefined : others}>
      {row}
    </FormPart>
  ))
  return { rows: shown, listId, button: isLong ? button : null }
}
