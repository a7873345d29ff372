import { Badge, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { explore as texts } from '../texts/index.ts'

interface RuleVerdictProps {
  title: string
  /** Undefined if the rule was not checked. */
  ok: boolean | undefined
  reasons: string[]
  children?: ReactNode
}

/** A rule, whether it holds, and every reason why not. */
export function RuleVerdict({ title, ok, reasons, children }: RuleVerdictProps) {
  const word = ok === undefined ? texts.quest.unasked : ok ? texts.quest.passed : texts.quest.failed
  return (
    <div className="inset">
      <Group justify="space-between" gap="xs">
        <Text fw={500}>{title}</Text>
        <Badge variant="light" color={ok === undefined ? 'gray' : ok ? 'teal' : 'red'} tt="none">
          {word}
        </Badge>
      </Group>
      {ok === false && reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}
