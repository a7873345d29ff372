import { Badge, Button, Group, Text } from '@mantine/core'
import type { FieldProblem } from '../api/call.ts'
import type { Rule, RuleKind } from '../api/rules.ts'
import { destructive } from '../shell/destructive.ts'
import type { FaultAt } from '../shell/fault-at.ts'
import { labelled } from '../shell/field-fault.ts'
import { rules as t } from '../texts/index.ts'
import { hasField } from './rule-shape.ts'
import { RuleForm } from './rule-form.tsx'
import { Summary } from './summary.tsx'

interface RuleRowProps {
  spaceId: number
  rule: Rule
  /** Null if it is equal to the published rule. */
  state: 'added' | 'changed' | null
  /** Absent for rules that cannot be edited. */
  editor?: RuleEditor
}

export interface RuleEditor {
  open: boolean
  takesFocus: boolean
  toggle: () => void
  faultAt: FaultAt
  /** The invalid settings. */
  faults: readonly FieldProblem[]
  onChange: (changes: Partial<Rule>) => void
  onKind: (kind: RuleKind) => void
  onRemove: () => void
}

/** A rule in a sentence, and its form. */
export function RuleRow({ spaceId, rule, state, editor }: RuleRowProps) {
  const { id, kind, description } = rule
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          <Text fw={500}>
            <Summary spaceId={spaceId} rule={rule} />
          </Text>
          {state !== null && (
            <Badge variant="light" tt="none">
              {state === 'added' ? t.isNew : t.isChanged}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {[t.kinds[kind] ?? kind, description].filter(Boolean).join(' · ')} · <span className="mono">{id}</span>
        </Text>
        {editor?.faults
          .filter(({ field }) => !editor.open || !hasField(rule, field))
          .map((problem) => (
            <Text key={problem.field} size="sm" className="bad">
              {labelled(problem, labelOf(problem.field))}
            </Text>
          ))}
      </div>
      {editor && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={editor.open ? `${t.done}: ${id}` : t.editNamed(id)}
            aria-expanded={editor.open}
            onClick={editor.toggle}
          >
            {editor.open ? t.done : t.edit}
          </Button>
          <Button size="xs" {...destructive} aria-label={t.removeNamed(id)} onClick={editor.onRemove}>
            {t.remove}
          </Button>
        </Group>
      )}
      {editor?.open && (
        <RuleForm
          spaceId={spaceId}
          rule={rule}
          isNew={state === 'added'}
          takesFocus={editor.takesFocus}
          faultAt={editor.faultAt}
          onChange={editor.onChange}
          onKind={editor.onKind}
        />
      )}
    </li>
  )
}

/** The label of a setting in the form of a rule. */
function labelOf(path: string): string {
  const own: Readonly<Record<string, unknown>> = t
  const label = path === 'cap.points' ? t.capPoints : own[path.split('.')[0] ?? '']
  return typeof label === 'string' ? label : path
}
