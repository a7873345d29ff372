import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { CAP_PERIODS, type CapPeriod, type Rule, RULE_KINDS, type RuleKind } from '../api/rules.ts'
import { TimeField } from '../shell/time-field.tsx'
import { rules as t } from '../texts/index.ts'
import { KindFields, type RuleFieldsProps } from './kind-fields.tsx'
import { NumberField } from './number-field.tsx'
import '../content/content.css'

interface RuleFormProps extends RuleFieldsProps {
  /** Only new rules choose their kind and id. */
  isNew: boolean
  onKind: (kind: RuleKind) => void
  /** Whether the form takes the focus from the button that added the rule. */
  takesFocus: boolean
}

/** All settings of a rule. Changes apply to the draft at once. */
export function RuleForm({ isNew, onKind, takesFocus, ...props }: RuleFormProps) {
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) form.current?.querySelector('select')?.focus()
  }, [takesFocus])
  const { rule, faultAt, onChange } = props
  return (
    <div ref={form} className="inset rule-form" role="group" aria-label={t.editNamed(rule.id)}>
      <div className="content-fields">
        {isNew && (
          <NativeSelect
            label={t.kind}
            description={t.kindHelp[rule.kind]}
            value={rule.kind}
            error={faultAt('kind')}
            onChange={(event) => onKind(event.currentTarget.value as RuleKind)}
            data={RULE_KINDS.map((value) => ({ value, label: t.kinds[value] }))}
          />
        )}
        <TextInput
          className={isNew ? undefined : 'content-wide'}
          label={t.description}
          description={t.descriptionHelp}
          value={rule.description}
          error={faultAt('description')}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
          maxLength={200}
          autoComplete="off"
          required
        />
        <KindFields {...props} />
        <TimeField
          label={t.from}
          value={rule.from ?? null}
          error={faultAt('from')}
          onChange={(from) => onChange({ from: from ?? undefined })}
        />
        <TimeField
          label={t.until}
          value={rule.until ?? null}
          error={faultAt('until')}
          onChange={(until) => onChange({ until: until ?? undefined })}
        />
        <CapFields {...props} />
        {isNew && (
          <TextInput
            className="content-wide"
            label={t.id}
            description={t.idHelp}
            value={rule.id}
            error={faultAt('id')}
            onChange={(event) => onChange({ id: event.currentTarget.value })}
            maxLength={40}
            autoComplete="off"
            spellCheck={false}
            required
          />
        )}
        <Checkbox
          className="content-wide"
          label={t.sprint}
          checked={rule.sprint !== false}
          onChange={(event) => onChange({ sprint: event.currentTarget.checked })}
        />
      </div>
    </div>
  )
}

const DEFAULT_CAP = 100

function CapFields({ rule: { cap }, faultAt, onChange }: RuleFieldsProps) {
  const points = cap?.points
  const setPeriod = (per: string) =>
    onChange({ cap: per === '' ? undefined : { points: points ?? DEFAULT_CAP, per: per as CapPeriod } })
  return (
    <>
      <NativeSelect
        label={t.cap}
        value={cap?.per ?? ''}
        error={faultAt('cap.per')}
        onChange={(event) => setPeriod(event.currentTarget.value)}
        data={[{ value: '', label: t.noCap }, ...CAP_PERIODS.map((value) => ({ value, label: t.caps[value] }))]}
      />
      {cap && (
        <NumberField
          label={t.capPoints}
          value={points}
          error={faultAt('cap.points')}
          onChange={(most) => onChange({ cap: { ...cap, points: most } })}
          required
        />
      )}
    </>
  )
}

/** The rule with these changes; settings that become undefined are removed. */
export const changed = (rule: Rule, changes: Partial<Rule>): Rule =>
  Object.fromEntries(
    Object.entries({ ...rule, ...changes }).filter(([, value]) => value !== undefined),
  ) as unknown as Rule
