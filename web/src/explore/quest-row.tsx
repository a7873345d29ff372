import { Badge, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { FoundQuest } from '../api/explore.ts'
import { Avatar } from '../shell/avatar.tsx'
import { atTime, atUnixTime } from '../shell/dates.ts'
import { Icon } from '../shell/icon.tsx'
import { claim, content, explore as texts, my } from '../texts/index.ts'
import { statusColour } from './status-colour.ts'

interface QuestRowProps {
  /** From a list, with the end in seconds since 1970, or from a search. */
  quest: Omit<FoundQuest, 'endTime'> & { endTime: number | string | null }
  /** Whether the signed-in account has completed it. */
  isCompleted: boolean
  /** Whether to show the space. */
  withSpace: boolean
  /** The path of the logo of the space. */
  logo?: string | undefined
}

/** A quest in a list. */
export function QuestRow({ quest, isCompleted, withSpace, logo }: QuestRowProps) {
  const { id, name, status, loyaltyPoints, participantsCount, endTime, space } = quest
  const facts = [
    withSpace && space.name,
    loyaltyPoints > 0 && texts.quests.gives(loyaltyPoints),
    participantsCount > 0 && content.quest.participants(participantsCount),
    endTime !== null &&
      status === 'Active' &&
      my.quests.ends(typeof endTime === 'number' ? atUnixTime(endTime) : atTime(endTime)),
  ]
  return (
    <li className="row">
      {withSpace && <Avatar seed={space.name} src={logo} size={32} />}
      <div className="row-main">
        <Link href={`/explore/quests/${id}`} className="text-link">
          {name}
        </Link>
        <Text size="sm" c="dimmed">
          {facts.filter((fact) => fact !== false).join(' · ')}
        </Text>
      </div>
      <Badge
        variant="light"
        color={isCompleted ? 'teal' : statusColour(status)}
        leftSection={isCompleted && <Icon name="check" size={12} />}
        tt="none"
      >
        {isCompleted ? claim.completedTitle : (texts.quest.statuses[status] ?? status)}
      </Badge>
    </li>
  )
}
