import { Checkbox, MultiSelect, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { questsQuery } from '../api/content.ts'
import type { Rule } from '../api/rules.ts'
import { CredentialPicker } from '../content/credential-picker.tsx'
import type { FaultAt } from '../shell/fault-at.ts'
import { rules as t } from '../texts/index.ts'
import { NumberField } from './number-field.tsx'

export interface RuleFieldsProps {
  spaceId: number
  rule: Rule
  faultAt: FaultAt
  /** Receives the settings that change; undefined removes one. */
  onChange: (changes: Partial<Rule>) => void
}

export function KindFields(props: RuleFieldsProps) {
  switch (props.rule.kind) {
    case 'claim':
      return (
        <>
          <Points {...props} />
          <Quests {...props} />
        </>
      )
    case 'award':
      return (
        <>
          <Points {...props} />
          <LeastPoints {...props} label={t.minPoints} />
        </>
      )
    case 'holder':
      return <HolderFields {...props} />
    case 'log':
      return <LogFields {...props} />
    case 'daily':
      return <DailyFields {...props} />
    case 'multiplier':
      return (
        <>
          <On {...props} />
          <Factor {...props} />
          {props.rule.on === 'claim' && <Quests {...props} />}
        </>
      )
    case 'streak':
      return <StreakFields {...props} />
    case 'referral':
      return <ReferralFields {...props} />
  }
}

const Points = ({ rule, faultAt, onChange }: RuleFieldsProps) => (
  <NumberField
    label={t.points}
    value={rule.points}
    error={faultAt('points')}
    onChange={(points) => onChange({ points })}
    required={rule.kind !== 'referral'}
  />
)

const LeastPoints = ({ rule, faultAt, onChange, label }: RuleFieldsProps & { label: string }) => (
  <NumberField
    label={label}
    value={rule.minPoints}
    error={faultAt('minPoints')}
    onChange={(minPoints) => onChange({ minPoints })}
    required={rule.kind === 'daily'}
  />
)

const Factor = ({ rule, faultAt, onChange }: RuleFieldsProps) => (
  <NumberField
    label={t.factor}
    description={t.factorHelp}
    value={rule.factor}
    error={faultAt('factor')}
    onChange={(factor) => onChange({ factor })}
    decimals={2}
    required
  />
)

function Quests({ spaceId, rule, faultAt, onChange }: RuleFieldsProps) {
  const quests = useQuery(questsQuery(spaceId)).data?.items ?? []
  const picked = rule.quests ?? []
  const others = picked.filter((id) => !quests.some((quest) => quest.id === id))
  const fault = picked.map((_, index) => faultAt(`quests.${index}`)).find((message) => message !== undefined)
  return (
    <MultiSelect
      className="content-wide"
      label={t.quests}
      description={t.questsHelp}
      placeholder={picked.length === 0 ? t.pickQuests : ''}
      data={[...quests.map(({ id, name }) => ({ value: id, label: name })), ...others]}
      value={picked}
      error={faultAt('quests') ?? fault}
      onChange={(ids) => onChange({ quests: ids.length === 0 ? undefined : ids })}
      searchable
    />
  )
}

function On({ rule, faultAt, onChange }: RuleFieldsProps) {
  return (
    <NativeSelect
      label={t.on}
      value={rule.on ?? 'claim'}
      error={faultAt('on')}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === 'claim' ? { on: 'claim' } : { on: 'award', quests: undefined })
      }
      data={Object.entries(t.events).map(([value, label]) => ({ value, label }))}
    />
  )
}

function PointsAndCredential(props: RuleFieldsProps) {
  const { spaceId, rule, faultAt, onChange } = props
  return (
    <>
      <Points {...props} />
      <CredentialPicker
        spaceId={spaceId}
        value={rule.credential ?? ''}
        error={faultAt('credential')}
        onChange={(credential) => onChange({ credential })}
      />
    </>
  )
}

function HolderFields(props: RuleFieldsProps) {
  const { rule, onChange } = props
  return (
    <>
      <PointsAndCredential {...props} />
      <Checkbox
        className="content-wide"
        label={t.existing}
        checked={rule.existing === true}
        onChange={(event) => onChange({ existing: event.currentTarget.checked })}
      />
    </>
  )
}

function LogFields(props: RuleFieldsProps) {
  const { rule, faultAt, onChange } = props
  return (
    <>
      <PointsAndCredential {...props} />
      <TextInput
        className="content-wide"
        label={t.minAmount}
        description={t.minAmountHelp}
        value={rule.minAmount ?? ''}
        error={faultAt('minAmount')}
        onChange={({ currentTarget: { value } }) =>
          onChange({ minAmount: value.trim() === '' ? undefined : value.trim() })
        }
        inputMode="numeric"
        maxLength={78}
        autoComplete="off"
      />
    </>
  )
}

function DailyFields(props: RuleFieldsProps) {
  const { spaceId, rule, faultAt, onChange } = props
  const audience = rule.holdersOf === undefined ? 'members' : 'holders'
  return (
    <>
      <Points {...props} />
      <NativeSelect
        label={t.audience}
        value={audience}
        onChange={({ currentTarget: { value } }) =>
          onChange(
            value === 'holders' ? { holdersOf: '', minPoints: undefined } : { holdersOf: undefined, minPoints: 1 },
          )
        }
        data={Object.entries(t.audiences).map(([value, label]) => ({ value, label }))}
      />
      {rule.holdersOf === undefined ? (
        <LeastPoints {...props} label={t.leastTotal} />
      ) : (
        <CredentialPicker
          spaceId={spaceId}
          value={rule.holdersOf}
          error={faultAt('holdersOf')}
          onChange={(holdersOf) => onChange({ holdersOf })}
        />
      )}
    </>
  )
}

function StreakFields(props: RuleFieldsProps) {
  const { rule, faultAt, onChange } = props
  return (
    <>
      <Points {...props} />
      <On {...props} />
      <NumberField
        label={t.days}
        value={rule.days}
        error={faultAt('days')}
        onChange={(days) => onChange({ days })}
        required
      />
      {rule.on === 'claim' && <Quests {...props} />}
      <Checkbox
        className="content-wide"
        label={t.repeat}
        checked={rule.repeat !== false}
        onChange={(event) => onChange({ repeat: event.currentTarget.checked })}
      />
    </>
  )
}

function ReferralFields(props: RuleFieldsProps) {
  const { rule, faultAt, onChange } = props
  return (
    <>
      <Points {...props} />
      <NumberField
        label={t.percent}
        value={rule.percent}
        error={faultAt('percent')}
        onChange={(percent) => onChange({ percent })}
      />
      <NativeSelect
        className="content-wide"
        label={t.claims}
        value={rule.claims ?? 'first'}
        onChange={(event) => onChange({ claims: event.currentTarget.value === 'all' ? 'all' : 'first' })}
        data={Object.entries(t.claimsOf).map(([value, label]) => ({ value, label }))}
      />
      <Quests {...props} />
    </>
  )
}
