import { CloseButton, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { type Reward, REWARD_TYPES } from '../api/content.ts'
import { content as texts } from '../texts/index.ts'
import type { FaultAt } from '../shell/fault-at.ts'

const t = texts.groups
const MAX_INT = 2_147_483_647

interface RewardFieldsProps {
  number: number
  reward: Reward
  faultAt: FaultAt
  onChange: (reward: Reward) => void
  onRemove: () => void
}

export function RewardFields({ number, reward, faultAt, onChange, onRemove }: RewardFieldsProps) {
  return (
    <li className="content-line">
      <NativeSelect
        label={t.rewardType}
        value={reward.rewardType}
        error={faultAt('rewardType')}
        onChange={(event) => onChange({ ...reward, rewardType: event.currentTarget.value })}
        data={REWARD_TYPES.map((value) => ({ value, label: t.rewardTypes[value] ?? value }))}
      />
      <NumberInput
        label={t.rewardCount}
        value={reward.rewardCount}
        error={faultAt('rewardCount')}
        onChange={(value) => onChange({ ...reward, rewardCount: Number(value) })}
        min={0}
        max={MAX_INT}
        allowDecimal={false}
      />
      <TextInput
        label={t.rewardText}
        value={reward.expression}
        error={faultAt('expression')}
        onChange={(event) => onChange({ ...reward, expression: event.currentTarget.value })}
        autoComplete="off"
      />
      <CloseButton aria-label={t.removeReward(number)} onClick={onRemove} />
    </li>
  )
}
