import { Text } from '@mantine/core'
import type { Quest } from '@questboard/client'
import { Section } from '../shell/section.tsx'
import { explore as texts } from '../texts/index.ts'
import { rewardName } from './reward-name.ts'

const t = texts.quest

/** The rewards of a quest besides its points. The quest must be read without an address, which would change the numbers. */
export function Rewards({ quest: { credentialGroups } }: { quest: Quest }) {
  const groups = (credentialGroups ?? []).filter((group) => group !== null).filter(({ rewards }) => rewards.length > 0)
  if (groups.length === 0) return null
  return (
    <Section title={t.rewards} lead={t.rewardsLead}>
      {groups.map(({ id, name, rewards }) => (
        <div key={id}>
          {name !== '' && <Text fw={500}>{name}</Text>}
          <ul className="conditions">
            {rewards.map((reward, n) => (
              <li key={n}>{rewardName(reward)}</li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  )
}
