import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  changeQuest,
  deleteQuest,
  type EditedQuest,
  questQuery,
  type QuestForm as Form,
  spaceQuery,
} from '../api/content.ts'
import { statusColour } from '../explore/status-colour.ts'
import type { PageProps } from '../navigation/page.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { content as texts, explore, shell } from '../texts/index.ts'
import { leadTo } from '../shell/lead-to.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { DeleteButton } from './delete-button.tsx'
import { Participants, PARTICIPANTS_PLACE } from './participants.tsx'
import { Publication } from './publication.tsx'
import { QuestForm } from './quest-form.tsx'
import { mayEdit, mayManage } from './rights.ts'
import { SpaceLink } from './space-link.tsx'
import { useEdited } from './use-edited.ts'

const t = texts.quest

/** `/content/quests/:id`: edits, publishes and deletes a quest. */
export default function QuestPage({ params: { id = '' } }: PageProps) {
  const quest = useQuery(questQuery(id))
  if (quest.isPending) return <Loading />
  if (isUnreadable(quest))
    return <UnreadableContent kind="quests" error={quest.error} retry={() => void quest.refetch()} />
  return <Quest key={id} quest={quest.data} readAgain={quest.refetch} />
}

interface QuestProps {
  quest: EditedQuest
  readAgain: () => Promise<{ data: EditedQuest | undefined }>
}

function Quest({ quest, readAgain }: QuestProps) {
  const { id, spaceId, name, status, participantsCount, loyaltyPoints } = quest
  const edited = useEdited(quest, readAgain)
  const { saved, version, start, keepInput, reload } = edited
  const standing = useQuery(spaceQuery(String(spaceId))).data?.standing
  const isEditor = standing !== undefined && mayEdit(standing)
  const [, navigate] = useLocation()
  const [changed, setChanged] = useState(false)
  const save = useMutation({
    mutationFn: (form: Form) => changeQuest(id, { ...form, ...reopening(quest, form), version }),
    onSuccess: (changed) => {
      start(changed)
      toast(texts.saved)
    },
  })
  const publish = useMutation({
    mutationFn: () => changeQuest(id, { autoStatus: true, version }),
    onSuccess: (changed) => {
      keepInput(changed)
      toast(t.published(name))
    },
  })
  const remove = useMutation({
    mutationFn: () => deleteQuest(id),
    onSuccess: () => {
      toast(texts.deleted(name))
      forgetUnsaved()
      navigate(`/content/spaces/${spaceId}`)
    },
  })
  const isDraft = status === 'Draft' && !quest.autoStatus
  return (
    <PageLayout
      title={name}
      parent={<SpaceLink spaceId={spaceId} />}
      lead={
        <Group gap="xs" mt={4} component="span">
          <Badge component="span" variant="light" tt="none" color={statusColour(status)}>
            {explore.quest.statuses[status] ?? status}
          </Badge>
          {isEditor && !isDraft ? (
            <a
              href={`#${PARTICIPANTS_PLACE}`}
              className="text-link"
              onClick={(event) => {
                event.preventDefault()
                const place = document.getElementById(PARTICIPANTS_PLACE)
                leadTo(place?.querySelector('input') ?? place)
              }}
            >
              {t.participants(participantsCount)}
            </a>
          ) : (
            t.participants(participantsCount)
          )}
        </Group>
      }
      actions={
        isDraft ? undefined : (
          <Button component={Link} href={`/explore/quests/${encodeURIComponent(id)}`} variant="default">
            {t.view}
          </Button>
        )
      }
    >
      {isDraft && (
        <Notice title={t.draft}>
          <ConfirmButton
            primary
            label={t.publish}
            question={loyaltyPoints === 0 ? `${t.noPoints} ${t.publishQuestion}` : t.publishQuestion}
            pending={publish.isPending}
            disabled={changed}
            onConfirm={() => publish.mutate()}
          />
          {changed && (
            <Text size="sm" mt="xs">
              {t.saveFirst}
            </Text>
          )}
        </Notice>
      )}
      {isEditor && !isDraft && <Publication quest={quest} edited={edited} changed={changed} />}
      <Fault error={publish.error ?? remove.error} />
      <QuestForm
        key={saved.version}
        spaceId={spaceId}
        saved={formOf(saved)}
        onChanged={setChanged}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        save={(form) => save.mutate(form)}
        reload={() => reload(save)}
      >
        {standing !== undefined && mayManage(standing) && (
          <DeleteButton name={name} question={t.question} remove={remove} />
        )}
      </QuestForm>
      {isEditor && !isDraft && <Participants questId={id} count={participantsCount} />}
    </PageLayout>
  )
}

/** The service does not open an ended quest by itself when its end changes. */
function reopening({ status, autoStatus, endTime: before }: EditedQuest, { startTime, endTime }: Form) {
  const isFuture = (time: string | null) => time !== null && Date.parse(time) > Date.now()
  const isOpen = endTime === null || isFuture(endTime)
  if (status !== 'Expired' || !autoStatus || endTime === before || !isOpen) return undefined
  return { status: isFuture(startTime) ? 'NotStarted' : 'Active', autoStatus }
}

/** The fields that the form changes. */
function formOf(quest: EditedQuest): Form {
  const { name, description, type, startTime, endTime, cap, loyaltyPoints, gasType, chain, isPrivate } = quest
  const { credentialGroups } = quest
  return {
    name,
    description,
    type,
    startTime,
    endTime,
    cap,
    loyaltyPoints,
    gasType,
    chain,
    isPrivate,
    credentialGroups,
  }
}
