import { Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { createBan, type Subject } from '../api/bans.ts'
import { Picker } from '../pickers/picker.tsx'
import { accounts, spaces } from '../pickers/source.ts'
import { useNames } from '../pickers/use-choices.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { useParameters } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { TimeField } from '../shell/time-field.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content } from '../texts/index.ts'
import { bans as t } from '../texts/operator-pages.ts'
import { BanBoards } from './ban-boards.tsx'

const PAUSE_MS = 300

type By = 'address' | 'account'
const subjects = (['address', 'account'] as const).map((value) => ({ value, label: t.subjects[value] }))

const empty = {
  by: 'address' as By,
  address: '',
  accountIds: [] as string[],
  spaceIds: [] as string[],
  reason: '',
  endsAt: null as string | null,
}

/**
 * Bans an account or an address, after it has shown what the ban covers. The address of the page can name the address and the
 * space: `?address=ADDRESS&space=ID`.
 */
export function BanForm() {
  const search = useParameters()
  const [given] = useState(() => ({
    address: search.get('address') ?? '',
    spaceIds: [search.get('space') ?? ''].filter((id) => spaces.idPattern.test(id)),
  }))
  const [{ by, address, accountIds, spaceIds, reason, endsAt }, setForm] = useState({ ...empty, ...given })
  const change = (part: Partial<typeof empty>) => setForm((form) => ({ ...form, ...part }))
  const subject = by === 'account' ? (accountIds[0] ?? '') : address.trim()
  /** The fields that the form keeps after a ban, for the next one. */
  const kept = JSON.stringify({ spaceIds, endsAt })
  const [keptBefore, setKeptBefore] = useState(kept)
  const isGiven = subject === '' || (by === 'address' && subject === given.address)
  useUnsaved(!isGiven || reason.trim() !== '' || kept !== keptBefore)
  const [account] = useNames(accounts, accountIds)
  const shown = by === 'account' ? (account?.name ?? '') : subject
  const [space] = useNames(spaces, spaceIds)
  const spaceId = space === undefined ? null : Number(space.id)
  const isTime = endsAt === null || !Number.isNaN(Date.parse(endsAt))
  const of: Subject = by === 'account' ? { account: subject } : { address: subject }
  const [sought] = useDebouncedValue(subject, PAUSE_MS)
  const ban = useMutation({
    mutationFn: (within: number | null) => createBan({ of, spaceId: within, reason, endsAt }),
    onSuccess() {
      toast(t.banned(shown))
      change({ address: '', accountIds: [], reason: '' })
      setKeptBefore(kept)
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
          {by === 'account' ? (
            <Picker
              single
              source={accounts}
              label={t.account}
              value={accountIds}
              onChange={(accountIds) => change({ accountIds })}
            />
          ) : (
            <TextInput
              label={t.address}
              description={content.preview.addressHelp}
              value={address}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change({ address: event.currentTarget.value })}
            />
          )}
          {sought !== '' && (
            <BanBoards
              of={by === 'account' ? { account: sought } : { address: sought }}
              chooseAccount={(id) => change({ by: 'account', accountIds: [id], address: '' })}
            />
          )}
          <Picker
            single
            source={spaces}
            label={t.space}
            description={t.spaceHelp}
            value={spaceIds}
            onChange={(spaceIds) => change({ spaceIds })}
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
          <Group>
            <ConfirmButton
              size="sm"
              label={t.ban}
              question={t.banQuestion(
                shown,
                space === undefined ? null : space.name,
                endsAt === null || !isTime ? t.untilLifted : t.untilTime(atTime(endsAt)),
              )}
              pending={ban.isPending}
              disabled={subject === '' || reason.trim() === '' || !isTime}
              onConfirm={() => ban.mutate(spaceId)}
            />
          </Group>
        </Stack>
      </form>
      <Fault
        error={ban.error}
        labels={{ account: t.account, address: t.address, spaceId: t.space, reason: t.reason, endsAt: t.until }}
      />
    </Section>
  )
}
