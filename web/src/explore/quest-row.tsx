import { Badge, Text } from '@mantine/core'
import type { QuestList } from '@questboard/client'
import { Link } from 'wouter'
import { claim, explore as texts } from '../texts/index.ts'
import { statusColour } from './status-colour.ts'

interface QuestRowProps {
  quest: QuestList['list'][number]
  /** Whether the signed-in account has completed it. */
  isCompleted: boolean
  /** Whether to name the space. */
  withSpace: boolean
}

/** A quest in a list. */
export function QuestRow({ quest, isCompleted, withSpace }: QuestRowProps) {
  const { id, name, status, loyaltyPoints, space } = quest
  return (
    <li className="row">
      <div className="row-main">
        <Link href={`/explore/quests/${id}`} className="text-link">
          {name}
        </Link>
        <Text size="sm" c="dimmed">
          {[withSpace ? space.name : '', loyaltyPoints > 0 ? texts.quests.gives(loyaltyPoints) : '']
            .filter((part) => part !== '')
            .join(' · ')}
        </Text>
      </div>
      <Badge variant="light" color={isCompleted ? 'teal' : statusColour(status)} tt="none">
        {isCompleted ? claim.completedTitle : (texts.quest.statuses[status] ?? status)}
      </Badge>
    </li>
  )
}
