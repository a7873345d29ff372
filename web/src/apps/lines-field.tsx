import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { entriesOf, lineOf } from '../shell/lines.ts'
import { sources as texts } from '../texts/index.ts'

interface LinesFieldProps {
  label: string
  description: string
  value: readonly string[]
  /** The message about the list, or about one entry. */
  errorAt: (ofEntry: (entry: number, message: string) => string) => string | undefined
  onChange: (lines: string[]) => void
  rows?: number
  required?: boolean
}

/** A list with one entry per line. The field keeps the text as typed. */
export function LinesField({ value, errorAt, onChange, rows = 2, ...field }: LinesFieldProps) {
  const [text, setText] = useState(value.join('\n'))
  return (
    <Textarea
      {...field}
      value={text}
      error={errorAt((entry, message) => texts.line(lineOf(text, entry), message))}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        onChange(entriesOf(currentTarget.value))
      }}
      rows={rows}
      spellCheck={false}
    />
  )
}
