import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useId } from 'react'
import type { Condition, ConditionGroup, Reward } from '../api/content.ts'
import { destructive } from '../shell/destructive.ts'
import { Section } from '../shell/section.tsx'
import { content as texts } from '../texts/index.ts'
import { ConditionFields } from './condition-fields.tsx'
import type { FaultAt } from '../shell/fault-at.ts'
import { RewardFields } from './reward-fields.tsx'

const t = texts.groups

interface GroupFieldsProps {
  spaceId: number
  groups: readonly ConditionGroup[]
  faultAt: FaultAt
  onChange: (groups: ConditionGroup[]) => void
}

/** The groups of a quest: conditions, and the rewards of each group. The first condition or reward adds the first group. */
export function GroupFields({ spaceId, groups, faultAt, onChange }: GroupFieldsProps) {
  const listId = useId()
  return (
    <Section title={t.title} lead={t.lead}>
      <div id={listId} className="content-entries">
        {groups.map((group, index) => (
          <OneGroup
            key={group.id}
            number={index + 1}
            spaceId={spaceId}
            group={group}
            faultAt={(path) => faultAt(`credentialGroups[${index}].${path}`)}
            onChange={(changed) => onChange(groups.with(index, changed))}
            onRemove={() => onChange(groups.toSpliced(index, 1))}
          />
        ))}
      </div>
      {groups.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.none}
        </Text>
      )}
      <Group gap="xs">
        <Button variant="default" aria-controls={listId} onClick={() => onChange([...groups, newGroup(groups)])}>
          {groups.length === 0 ? t.addCondition : t.add}
        </Button>
        {groups.length === 0 && (
          <Button
            variant="default"
            onClick={() => onChange([{ ...newGroup([]), conditions: [], rewards: [emptyReward] }])}
          >
            {t.addReward}
          </Button>
        )}
      </Group>
    </Section>
  )
}

/** Ids of groups are numbers that the other groups do not have. */
function newGroup(groups: readonly ConditionGroup[]): ConditionGroup {
  const ids = new Set(groups.map(({ id }) => id))
  let id = groups.length + 1
  while (ids.has(String(id))) id++
  return { id: String(id), name: '', conditionRelation: 'ALL', conditions: [emptyCondition], rewards: [] }
}

const emptyCondition: Condition = { expression: '', credentialId: '' }
const emptyReward: Reward = { expression: '', rewardType: 'CUSTOM', rewardCount: 1 }

interface OneGroupProps {
  number: number
  spaceId: number
  group: ConditionGroup
  faultAt: FaultAt
  onChange: (group: ConditionGroup) => void
  onRemove: () => void
}

function OneGroup({ number, spaceId, group, faultAt, onChange, onRemove }: OneGroupProps) {
  const { name, conditionRelation, conditions, rewards } = group
  const [conditionsId, rewardsId] = [useId(), useId()]
  return (
    <fieldset className="inset content-group">
      <legend>{name || t.group(number)}</legend>
      <Stack gap="md">
        <div className="content-fields">
          <TextInput
            label={t.name}
            value={name}
            error={faultAt('name')}
            onChange={(event) => onChange({ ...group, name: event.currentTarget.value })}
            autoComplete="off"
          />
          <NativeSelect
            label={t.relation}
            value={conditionRelation}
            onChange={(event) =>
              onChange({ ...group, conditionRelation: event.currentTarget.value === 'ANY' ? 'ANY' : 'ALL' })
            }
            data={Object.entries(t.relations).map(([value, label]) => ({ value, label }))}
          />
        </div>
        <Text fw={500}>{t.conditions}</Text>
        {conditions.length === 0 && (
          <Text size="sm" c="dimmed">
            {t.noConditions}
          </Text>
        )}
        <ul id={conditionsId} className="content-entries" aria-label={t.conditions}>
          {conditions.map((condition, index) => (
            <ConditionFields
              key={index}
              number={index + 1}
              spaceId={spaceId}
              condition={condition}
              faultAt={(path) => faultAt(`conditions[${index}].${path}`)}
              onChange={(changed) => onChange({ ...group, conditions: conditions.with(index, changed) })}
              onRemove={() => onChange({ ...group, conditions: conditions.toSpliced(index, 1) })}
            />
          ))}
        </ul>
        {rewards.length > 0 && (
          <div>
            <Text fw={500}>{t.rewards}</Text>
            <Text size="sm" c="dimmed">
              {t.rewardsHelp}
            </Text>
          </div>
        )}
        <ul id={rewardsId} className="content-entries" aria-label={t.rewards}>
          {rewards.map((reward, index) => (
            <RewardFields
              key={index}
              number={index + 1}
              reward={reward}
              faultAt={(path) => faultAt(`rewards[${index}].${path}`)}
              onChange={(changed) => onChange({ ...group, rewards: rewards.with(index, changed) })}
              onRemove={() => onChange({ ...group, rewards: rewards.toSpliced(index, 1) })}
            />
          ))}
        </ul>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-controls={conditionsId}
            onClick={() => onChange({ ...group, conditions: [...conditions, emptyCondition] })}
          >
            {t.addCondition}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-controls={rewardsId}
            onClick={() => onChange({ ...group, rewards: [...rewards, emptyReward] })}
          >
            {t.addReward}
          </Button>
          <Button size="xs" {...destructive} onClick={onRemove}>
            {t.remove}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  )
}
