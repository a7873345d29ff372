import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sprintsQuery } from '../api/content.ts'
import { awardPoints } from '../api/points.ts'
import { faultsIn, FormFault } from '../content/faults.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { explore, points as t } from '../texts/index.ts'

const empty = { address: '', points: '', sprint: '', reason: '' }

/** Awards points to one member, or subtracts them. */
export function AwardForm({ spaceId }: { spaceId: number }) {
  const sprints = useQuery(sprintsQuery(spaceId)).data?.sprints ?? []
  const [form, setForm] = useState(empty)
  const award = useMutation({
    mutationFn: () => awardPoints(spaceId, requestOf(form)),
    onSuccess: () => {
      toast(t.awarded(Number(form.points)))
      setForm({ ...empty, sprint: form.sprint })
    },
  })
  const faultAt = faultsIn(award.error)
  const complete = [form.address, form.points, form.reason].every((text) => text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (complete) award.mutate()
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
            onChange={(event) => setForm({ ...form, address: event.currentTarget.value })}
            maxLength={320}
            autoComplete="off"
            spellCheck={false}
            required
          />
          <TextInput
            label={t.points}
            value={form.points}
            error={faultAt('points')}
            onChange={(event) => setForm({ ...form, points: event.currentTarget.value })}
            maxLength={12}
            autoComplete="off"
            required
          />
          {sprints.length > 0 && (
            <NativeSelect
              label={t.sprint}
              value={form.sprint}
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
            maxLength={500}
            autoComplete="off"
            required
          />
          <FormFault error={award.error} shown={['address', 'points', 'sprintId', 'reason']} />
          <div>
            <Button type="submit" loading={award.isPending} disabled={!complete}>
              {t.award}
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  )
}

/** A text that cannot be read as a number is sent unchanged, so that the service reports the allowed values. */
function requestOf({ address, points, sprint, reason }: typeof empty) {
  const count = points.trim()
  return {
    address: address.trim(),
    points: /^-?\d+$/.test(count) ? Number(count) : (count as unknown as number),
    ...(sprint !== '' && { sprintId: Number(sprint) }),
    reason: reason.trim(),
  }
}
