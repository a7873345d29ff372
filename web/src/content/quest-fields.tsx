import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { GAS_TYPES, QUEST_TYPES, type QuestForm } from '../api/content.ts'
import { Section } from '../shell/section.tsx'
import { content as texts, sources } from '../texts/index.ts'
import { ChainField } from './chain-field.tsx'
import type { FaultAt } from '../shell/fault-at.ts'
import { TimeField } from '../shell/time-field.tsx'

const t = texts.quest
const MAX_INT = 2_147_483_647

interface QuestFieldsProps {
  form: QuestForm
  faultAt: FaultAt
  onChange: (changes: Partial<QuestForm>) => void
}

/** The fields that `QuestFields` shows. */
export const QUEST_FIELDS = [
  'name',
  'description',
  'type',
  'gasType',
  'chain',
  'startTime',
  'endTime',
  'cap',
  'loyaltyPoints',
  'isPrivate',
]

export function QuestFields({ form, faultAt, onChange }: QuestFieldsProps) {
  // Stored settings are visible when the form opens.
  const [shownAtFirst] = useState(form.chain !== null || form.gasType !== 'Gasless')
  return (
    <>
      <Section title={t.basics}>
        <div className="content-fields">
          <TextInput
            className="content-wide"
            label={t.name}
            value={form.name}
            error={faultAt('name')}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
            autoComplete="off"
            required
          />
          <Textarea
            className="content-wide"
            label={t.description}
            value={form.description}
            error={faultAt('description')}
            onChange={(event) => onChange({ description: event.currentTarget.value })}
            autosize
            minRows={3}
            maxRows={16}
          />
          <NativeSelect
            label={t.type}
            value={form.type}
            error={faultAt('type')}
            onChange={(event) => onChange({ type: event.currentTarget.value })}
            data={QUEST_TYPES.map((value) => ({ value, label: t.types[value] ?? value }))}
          />
        </div>
      </Section>
      <Section title={t.rules}>
        <div className="content-fields">
          <TimeField
            label={t.startTime}
            description={t.noStart}
            value={form.startTime}
            error={faultAt('startTime')}
            onChange={(startTime) => onChange({ startTime })}
          />
          <TimeField
            label={t.endTime}
            description={t.noEnd}
            value={form.endTime}
            error={faultAt('endTime')}
            onChange={(endTime) => onChange({ endTime })}
          />
          <NumberInput
            label={t.loyaltyPoints}
            value={form.loyaltyPoints}
            error={faultAt('loyaltyPoints')}
            onChange={(value) => onChange({ loyaltyPoints: Number(value) })}
            min={0}
            max={MAX_INT}
            // The service refuses other numbers; the field would change them without a word.
            clampBehavior="none"
            allowDecimal={false}
          />
          <NumberInput
            label={t.cap}
            description={t.capHelp}
            value={form.cap}
            error={faultAt('cap')}
            onChange={(value) => onChange({ cap: Number(value) })}
            min={0}
            max={MAX_INT}
            // The service refuses other numbers; the field would change them without a word.
            clampBehavior="none"
            allowDecimal={false}
          />
          <Switch
            label={t.isPrivate}
            description={t.isPrivateHelp}
            checked={form.isPrivate}
            onChange={(event) => onChange({ isPrivate: event.currentTarget.checked })}
          />
        </div>
        {isOnChain(form) ? (
          <ChainFields form={form} faultAt={faultAt} onChange={onChange} />
        ) : (
          <details className="source-more" open={shownAtFirst}>
            <summary>{sources.more}</summary>
            <ChainFields form={form} faultAt={faultAt} onChange={onChange} />
          </details>
        )}
      </Section>
    </>
  )
}

const CHAIN_TYPES = ['Drop', 'MysteryBox', 'Airdrop']
const CHAIN_REWARDS = ['NFT', 'TOKEN', 'OAT', 'MINTLIST']

/** Whether a reward of the quest is on a chain. */
const isOnChain = ({ type, credentialGroups }: QuestForm): boolean =>
  CHAIN_TYPES.includes(type) ||
  credentialGroups.some(({ rewards }) => rewards.some(({ rewardType }) => CHAIN_REWARDS.includes(rewardType)))

/** The chain also decides which address of a member completes the quest, so a quest for points can have one. */
function ChainFields({ form, faultAt, onChange }: QuestFieldsProps) {
  return (
    <div className="content-fields">
      <ChainField
        label={t.chain}
        help={t.chainHelp}
        noteOnOther={t.otherChain}
        value={form.chain ?? ''}
        error={faultAt('chain')}
        onChange={(chain) => onChange({ chain: chain.trim() === '' ? null : chain })}
      />
      <NativeSelect
        label={t.gasType}
        description={t.gasTypeHelp}
        value={form.gasType}
        error={faultAt('gasType')}
        onChange={(event) => onChange({ gasType: event.currentTarget.value })}
        data={GAS_TYPES.map((value) => ({ value, label: t.gasTypes[value] ?? value }))}
      />
    </div>
  )
}
