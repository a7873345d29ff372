import { Textarea } from '@mantine/core'
import { useState } from 'react'

interface LinesFieldProps {
  label: string
  description: string
  value: readonly string[]
  error: string | undefined
  onChange: (lines: string[]) => void
  rows?: number
  required?: boolean
}

/** A list with one entry per line. The field keeps the text as typed. */
export function LinesField({ value, onChange, rows = 2, ...field }: LinesFieldProps) {
  const [text, setText] = useState(value.join('\n'))
  return (
    <Textarea
      {...field}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        onChange(linesOf(currentTarget.value))
      }}
      rows={rows}
      spellCheck={false}
    />
  )
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
