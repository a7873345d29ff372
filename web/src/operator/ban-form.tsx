import { Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createBan, type Subject } from '../api/bans.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { bans as t } from '../texts/index.ts'
import { BanBoards } from './ban-boards.tsx'

const PAUSE_MS = 300

type By = 'address' | 'account'
const subjects = (['address', 'account'] as const).map((value) => ({ value, label: t.subjects[value] }))

/** Bans an account or an address, after it has shown what the ban covers. */
export function BanForm() {
  const [by, setBy] = useState<By>('address')
  const [name, setName] = useState('')
  const [space, setSpace] = useState('')
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState('')
  const subject = name.trim()
  const spaceId = spaceOf(space.trim())
  const hasEnd = until !== ''
  const isTime = !Number.isNaN(Date.parse(until))
  const of: Subject = by === 'account' ? { account: subject } : { address: subject }
  const [sought] = useDebouncedValue(subject, PAUSE_MS)
  const ban = useMutation({
    mutationFn: (within: number | null) =>
      createBan({
        of,
        spaceId: within,
        reason,
        // A text that cannot be read as a time is sent unchanged, so that the service refuses it.
        endsAt: hasEnd ? (isTime ? new Date(until).toISOString() : until) : null,
      }),
    onSuccess() {
      toast(t.banned(subject))
      setName('')
      setReason('')
    },
  })
  const submit = (event: FormEvent) => event.preventDefault()
  return (
    <Section title={t.create}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw="34rem">
          <NativeSelect
            label={t.what}
            value={by}
            data={subjects}
            onChange={(event) => setBy(event.currentTarget.value as By)}
          />
          <TextInput
            label={t[by]}
            value={name}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {sought !== '' && <BanBoards of={by === 'account' ? { account: sought } : { address: sought }} />}
          <TextInput
            label={t.space}
            description={t.spaceHelp}
            value={space}
            error={spaceId === undefined && t.spaceFault}
            inputMode="numeric"
            maxLength={10}
            autoComplete="off"
            onChange={(event) => setSpace(event.currentTarget.value)}
          />
          <TextInput
            label={t.reason}
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label={t.until}
            description={t.untilHelp}
            value={until}
            max="9999-12-31T23:59"
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
          {subject !== '' && reason.trim() !== '' && spaceId !== undefined && (
            <Group>
              <ConfirmButton
                size="sm"
                label={t.ban}
                question={t.banQuestion(
                  subject,
                  spaceId,
                  hasEnd ? t.untilTime(isTime ? atTime(until) : until) : t.untilLifted,
                )}
                pending={ban.isPending}
                onConfirm={() => ban.mutate(spaceId)}
              />
            </Group>
          )}
        </Stack>
      </form>
      <Fault
        error={ban.error}
        labels={{ account: t.account, address: t.address, spaceId: t.space, reason: t.reason, endsAt: t.until }}
      />
    </Section>
  )
}

/** Null: all spaces. Undefined: no ID. */
function spaceOf(text: string): number | null | undefined {
  if (text === '') return null
  return /^[1-9]\d*$/.test(text) ? Number(text) : undefined
}
