import { Text } from '@mantine/core'
import { type CredentialGroup, groupMet } from '@questboard/client'
import { explore as texts } from '../texts/index.ts'
import { rewardName } from './reward-name.ts'
import { RuleVerdict } from './rule-verdict.tsx'

const t = texts.quest

interface GroupVerdictProps {
  group: CredentialGroup
  place: number
  /** Whether it was evaluated for an address. */
  asked: boolean
}

/** Whether the address meets one group: its conditions one by one, and the reward. */
export function GroupVerdict({ group, place, asked }: GroupVerdictProps) {
  const verdict = groupMet(group)
  const { name, conditionRelation, conditions, rewards } = group
  // Each condition below says itself whether it is met.
  const reasons = verdict.reasons.filter(({ code }) => conditions.length === 0 || code === 'unknown_relation')
  return (
    <RuleVerdict
      title={t.rule2(name === '' ? t.group(place) : name)}
      ok={asked ? verdict.ok : undefined}
      reasons={reasons.map(({ code }) =>
        code === 'unknown_relation' ? t.reasons.unknown_relation(conditionRelation) : t.reasons.no_condition_met,
      )}
    >
      {conditions.length > 1 && (
        <Text size="sm" c="dimmed">
          {conditionRelation === 'ANY' ? t.any : t.all}
        </Text>
      )}
      <ul className="conditions">
        {conditions.map(({ expression, eligible }, n) => (
          <li key={n}>
            {expression}
            {asked && <span className={eligible ? 'better' : 'worse'}> · {eligible ? t.met : t.notMet}</span>}
          </li>
        ))}
      </ul>
      {rewards.length > 0 && (
        <Text size="sm" c="dimmed">
          {t.rewards}: {rewards.map(rewardName).join(', ')}
        </Text>
      )}
    </RuleVerdict>
  )
}
