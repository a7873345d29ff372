import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sprintsQuery } from '../api/content.ts'
import { awardPoints } from '../api/points.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { TimeField } from '../shell/time-field.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { explore, points as t } from '../texts/index.ts'
import { ChooseRecipient } from './choose-recipient.tsx'
import { type Candidates, findCandidates } from './recipient.ts'

interface Input {
  address: string
  points: string
  /** Empty for the overall board; undefined until one is chosen. */
  sprint: string | undefined
  reason: string
  /** Null: the points count at once. */
  availableAt: string | null
  /** Null: the points do not expire. */
  expiresAt: string | null
}

const empty: Input = { address: '', points: '', sprint: undefined, reason: '', availableAt: null, expiresAt: null }

/** Awards points to one member, or subtracts them. */
export function AwardForm({ spaceId }: { spaceId: number }) {
  const read = useQuery(sprintsQuery(spaceId))
  const { sprints = [], running = null } = read.data ?? {}
  const [form, setForm] = useState(empty)
  const [checked, setChecked] = useState(false)
  const { address, points, reason, availableAt, expiresAt } = form
  useUnsaved([address, points, reason, availableAt, expiresAt].some((text) => text !== null && text.trim() !== ''))
  const [choice, setChoice] = useState<Candidates & { text: string; points: number }>()
  // Completed quests count for the running sprint, too.
  const sprint = form.sprint ?? String(running ?? '')
  const whole = /^[+-]?\d+$/.test(form.points.trim()) && Number(form.points) !== 0
  /** Awards to the address, or finds the member that the text names. */
  const award = useMutation({
    mutationFn: async (address?: string) => {
      const text = form.address.trim()
      const points = Number(form.points)
      const found = address === undefined ? await findCandidates(spaceId, text, points) : undefined
      const [only] = found?.list ?? []
      const isBelow = only !== undefined && points < 0 && only.points + points < 0
      if (found && (found.list.length !== 1 || !found.complete || isBelow)) return setChoice({ text, points, ...found })
      const chosen = address ?? only?.address ?? text
      const { banned } = await awardPoints(spaceId, requestOf({ ...form, sprint, address: chosen }))
      const done = t.awarded(points, nameOf(chosen, found?.list ?? choice?.list ?? []))
      toast(banned ? t.toBanned(done) : done)
      setChoice(undefined)
      // Text that was typed during the request stays.
      setForm((now) => (now === form ? { ...empty, sprint: form.sprint } : now))
      setChecked(false)
    },
  })
  const change = (changed: Input) => {
    setForm(changed)
    setChoice(undefined)
  }
  const faultAt = useFaults({ pending: award.isPending, error: award.error }, { ...form, sprintId: sprint })
  const complete = [form.address, form.points, form.reason].every((text) => text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (complete && whole) award.mutate(undefined)
  }
  return (
    <Section title={t.award} lead={t.awardLead}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw="34rem">
          <TextInput
            label={t.address}
            description={t.addressHelp}
            value={form.address}
            error={faultAt('address')}
            onChange={(event) => change({ ...form, address: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
            required
          />
          <TextInput
            label={t.points}
            value={form.points}
            error={checked && !whole ? t.notWhole : faultAt('points')}
            onChange={(event) => change({ ...form, points: event.currentTarget.value })}
            autoComplete="off"
            required
          />
          {sprints.length > 0 && (
            <NativeSelect
              label={t.sprint}
              {...(running !== null && {
                description: sprint === String(running) ? t.runningSprint : t.otherSprint,
              })}
              value={sprint}
              error={faultAt('sprintId')}
              onChange={(event) => setForm({ ...form, sprint: event.currentTarget.value })}
              data={[
                { value: '', label: t.noSprint },
                ...sprints.map(({ sprintId, name }) => ({
                  value: String(sprintId),
                  label: explore.space.sprintName(sprintId, name),
                })),
              ]}
            />
          )}
          <TextInput
            label={t.reason}
            description={t.reasonHelp}
            value={form.reason}
            error={faultAt('reason')}
            onChange={(event) => setForm({ ...form, reason: event.currentTarget.value })}
            autoComplete="off"
            required
          />
          <TimeField
            label={t.availableAt}
            description={t.availableAtHelp}
            value={form.availableAt}
            error={faultAt('availableAt')}
            onChange={(availableAt) => setForm({ ...form, availableAt })}
          />
          <TimeField
            label={t.expiresAt}
            description={t.expiresAtHelp}
            value={form.expiresAt}
            error={faultAt('expiresAt')}
            onChange={(expiresAt) => setForm({ ...form, expiresAt })}
          />
          {read.isLoadingError && <LoadFailure error={read.error} retry={() => void read.refetch()} />}
          <FormFault
            error={award.error}
            shown={['address', 'points', 'sprintId', 'reason', 'availableAt', 'expiresAt']}
          />
          {choice && (
            <ChooseRecipient
              {...choice}
              pending={award.isPending}
              choose={(address) => award.mutate(address)}
              cancel={() => setChoice(undefined)}
            />
          )}
          <div>
            <Button type="submit" loading={award.isPending} disabled={!complete || choice !== undefined || !read.data}>
              {t.award}
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  )
}

/** An account without a wallet has its ID in place of an address, which is not for people. */
const ACCOUNT_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Names the member of an award. Several members can have a name, so it comes with the address. */
function nameOf(member: string, candidates: Candidates['list']): string {
  const name = candidates.find(({ address }) => address === member)?.username ?? ''
  if (name === '') return member
  return ACCOUNT_ID.test(member) ? name : `${name} (${member})`
}

const requestOf = ({ address, points, sprint, reason, availableAt, expiresAt }: Input & { sprint: string }) => ({
  address,
  points: Number(points),
  ...(sprint !== '' && { sprintId: Number(sprint) }),
  reason: reason.trim(),
  ...(availableAt !== null && { availableAt }),
  ...(expiresAt !== null && { expiresAt }),
})
