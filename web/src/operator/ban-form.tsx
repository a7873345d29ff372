import { Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { createBan, type Subject } from '../api/bans.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { TimeField } from '../shell/time-field.tsx'
import { toast } from '../shell/toasts.tsx'
import { useTabDraft } from '../shell/use-tab-draft.ts'
import { bans as t } from '../texts/index.ts'
import { BanBoards } from './ban-boards.tsx'

const PAUSE_MS = 300

type By = 'address' | 'account'
const subjects = (['address', 'account'] as const).map((value) => ({ value, label: t.subjects[value] }))

const empty = { by: 'address' as By, name: '', space: '', reason: '', endsAt: null as string | null }

/** Bans an account or an address, after it has shown what the ban covers. */
export function BanForm() {
  const [{ by, name, space, reason, endsAt }, setForm] = useTabDraft('ban', empty)
  const change = (part: Partial<typeof empty>) => setForm((form) => ({ ...form, ...part }))
  const subject = name.trim()
  const spaceId = spaceOf(space.trim())
  const isTime = endsAt === null || !Number.isNaN(Date.parse(endsAt))
  const of: Subject = by === 'account' ? { account: subject } : { address: subject }
  const [sought] = useDebouncedValue(subject, PAUSE_MS)
  const ban = useMutation({
    mutationFn: (within: number | null) => createBan({ of, spaceId: within, reason, endsAt }),
    onSuccess() {
      toast(t.banned(subject))
      change({ name: '', reason: '' })
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
            onChange={(event) => change({ by: event.currentTarget.value as By })}
          />
          <TextInput
            label={t[by]}
            value={name}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ name: event.currentTarget.value })}
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
            onChange={(event) => change({ space: event.currentTarget.value })}
          />
          <TextInput
            label={t.reason}
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => change({ reason: event.currentTarget.value })}
          />
          <TimeField
            label={t.until}
            description={t.untilHelp}
            value={endsAt}
            error={undefined}
            onChange={(endsAt) => change({ endsAt })}
          />
          {subject !== '' && reason.trim() !== '' && spaceId !== undefined && isTime && (
            <Group>
              <ConfirmButton
                size="sm"
                label={t.ban}
                question={t.banQuestion(
                  subject,
                  spaceId,
                  endsAt === null ? t.untilLifted : t.untilTime(atTime(endsAt)),
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
