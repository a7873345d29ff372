import { Badge, Stack, Text, UnstyledButton } from '@mantine/core'
import { useId, useState } from 'react'
import { Link } from 'wouter'
import type { OwnQuest } from '../api/my.ts'
import { ClaimForm } from '../explore/claim-form.tsx'
import { Avatar } from '../shell/avatar.tsx'
import { atTime } from '../shell/dates.ts'
import { Icon } from '../shell/icon.tsx'
import { hasUnsaved, FormPart, useFormPart } from '../shell/unsaved.ts'
import { my } from '../texts/index.ts'

const texts = my.quests

interface OwnQuestRowProps {
  of: OwnQuest
  /** The path of the logo of the space. */
  logo: string | undefined
  onOpen: () => void
}

/** A quest with the progress of the account; opened, it can be completed. */
export function OwnQuestRow({ of, logo, onOpen }: OwnQuestRowProps) {
  const { quest, completion } = of
  const [open, setOpen] = useState(false)
  // A folded quest keeps answers that are not sent. Without them it ends, because its conditions are read again and again.
  const [keepsInput, setKeepsInput] = useState(false)
  const part = useFormPart()
  const id = useId()
  return (
    <li className="own-quest">
      <UnstyledButton
        className="own-quest-head"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => {
          setKeepsInput(hasUnsaved(part))
          setOpen(!open)
          onOpen()
        }}
      >
        <Avatar seed={quest.space.name} src={logo} size={32} />
        <span className="row-main">
          <Text component="span" fw={500}>
            {quest.name}
          </Text>
          <Text component="span" size="sm" c="dimmed" className="own-quest-note">
            {[quest.space.name, progressOf(of), endOf(of)].filter((part) => part !== '').join(' · ')}
          </Text>
        </span>
        {pointsOf(of) > 0 && (
          <Badge variant="light" tt="none" className="own-quest-points">
            {my.ranks.points(pointsOf(of))}
          </Badge>
        )}
        <span className="own-quest-mark">
          <Icon name="down" />
        </span>
      </UnstyledButton>
      <div id={id} hidden={!open} className="own-quest-body">
        {(open || keepsInput) && (
          <FormPart value={part}>
            <Stack gap="sm" align="flex-start">
              <ClaimForm questId={quest.id} spaceId={quest.space.id} known={completion ?? undefined} />
              <Link href={`/explore/quests/${quest.id}`} className="text-link">
                {texts.page}
              </Link>
            </Stack>
          </FormPart>
        )}
      </div>
    </li>
  )
}

const pointsOf = ({ quest, completion }: OwnQuest) => completion?.points ?? quest.loyaltyPoints

function progressOf({ conditions: { needed, met, unknown }, completion }: OwnQuest): string {
  if (completion) return texts.completedOn(atTime(completion.claimedAt))
  if (needed === 0) return texts.noConditions
  return [texts.met(met, needed), unknown > 0 ? texts.unknown(unknown) : ''].filter((part) => part !== '').join(', ')
}

const endOf = ({ quest, completion }: OwnQuest): string =>
  completion || quest.endTime === null ? '' : texts.ends(atTime(quest.endTime))
