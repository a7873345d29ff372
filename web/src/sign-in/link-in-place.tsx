import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { kindsQuery } from '../api/identity-kinds.ts'
import { shell } from '../texts/index.ts'
import { SignInPanel } from './panel.tsx'

interface LinkInPlaceProps {
  label: string
  /** The kinds to choose from; default: all. */
  only?: (kind: string) => boolean
}

/** A button that shows the methods of linking an identity below it. Other sites redirect to the current page. */
export function LinkInPlace({ label, only = () => true }: LinkInPlaceProps) {
  const [open, setOpen] = useState(false)
  const kinds = (useQuery(kindsQuery).data?.kinds ?? []).map(({ kind }) => kind).filter(only)
  if (kinds.length === 0) return null
  if (!open)
    return (
      <Button size="compact-sm" variant="light" onClick={() => setOpen(true)}>
        {label}
      </Button>
    )
  return (
    <div className="inset">
      <SignInPanel
        purpose="link"
        only={kinds}
        returnTo={window.location.pathname + window.location.search}
        onDone={() => setOpen(false)}
      />
      <Button variant="subtle" mt="sm" onClick={() => setOpen(false)}>
        {shell.close}
      </Button>
    </div>
  )
}
