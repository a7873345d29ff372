import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Rule } from '../api/rules.ts'
import { rules as t } from '../texts/index.ts'
import { unshowable } from './rule-shape.ts'

interface JsonFieldProps {
  rules: readonly Rule[]
  error: string | undefined
  onChange: (rules: Rule[]) => void
}

/** The rules as the document of the command line. Rules change when the text is valid. */
export function JsonField({ rules, error, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => JSON.stringify({ rules }, null, 2))
  const [fault, setFault] = useState<string>()
  const enter = (entered: string) => {
    setText(entered)
    const read = readRules(entered)
    if (typeof read === 'string') return setFault(read)
    setFault(undefined)
    onChange(read)
  }
  return (
    <Textarea
      label={t.json}
      description={t.jsonHelp}
      value={text}
      error={fault ?? error}
      onChange={(event) => enter(event.currentTarget.value)}
      rows={20}
      classNames={{ input: 'mono' }}
      spellCheck={false}
      autoComplete="off"
    />
  )
}

/** @returns the reason if the text cannot be used */
function readRules(text: string): Rule[] | string {
  try {
    const { rules } = Object(JSON.parse(text)) as { rules?: unknown }
    if (!Array.isArray(rules)) return t.jsonShape
    const path = unshowable(rules)
    return path === undefined ? (rules as Rule[]) : t.jsonValue(path)
  } catch (error) {
    return t.jsonFault((error as Error).message)
  }
}
