import { Button, Progress, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { compareRules, type Differences as Found, replayRules, type Rule } from '../api/rules.ts'
import { TimeField } from '../shell/time-field.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { rules as t } from '../texts/index.ts'
import { Dialog } from './dialog.tsx'
import { Differences } from './differences.tsx'
import { isAboutFields } from './unpublished.tsx'

interface PastProps {
  spaceId: number
  rules: readonly Rule[]
  /** The version that is in force, if these are its rules. */
  version: number | undefined
  /** Whether the space has had rules, which decides the default of the period. */
  hasVersions: boolean
  onRefused: (error: Error) => void
  onAccepted: () => void
}

/** Compares rules with the points of the past, and gives the differences. */
export function Past({ spaceId, rules, version, hasVersions, onRefused, onAccepted }: PastProps) {
  const [since, setSince] = useState<string | null>(null)
  const compare = useMutation({
    mutationFn: (request: { rules: readonly Rule[]; since: string | null }) =>
      compareRules(spaceId, request.rules, request.since),
    onSuccess: onAccepted,
    onError: onRefused,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    compare.mutate({ rules, since })
  }
  const compared = compare.variables?.rules === rules && compare.variables.since === since ? compare : undefined
  const lead = rules.some(({ kind }) => kind === 'holder' || kind === 'daily')
    ? `${t.pastLead} ${t.notCounted}`
    : t.pastLead
  return (
    <Section title={t.past} lead={lead}>
      <form onSubmit={submit} className="line-form" noValidate>
        <TimeField
          label={t.since}
          description={hasVersions ? t.sinceFirst : t.sinceAll}
          value={since}
          error={undefined}
          onChange={setSince}
        />
        <Button type="submit" variant="default" loading={compare.isPending}>
          {t.compare}
        </Button>
      </form>
      {compare.isPending && <Running says={t.comparing} />}
      {!isAboutFields(compare.error) && <Fault error={compared?.error ?? null} />}
      {compared?.data && <Result spaceId={spaceId} found={compared.data} since={since} version={version} />}
    </Section>
  )
}

function Running({ says }: { says: string }) {
  return (
    <div>
      <Text size="sm" role="status">
        {says}
      </Text>
      <Progress.Root size="sm" mt={6}>
        <Progress.Section value={100} animated aria-label={t.progress} />
      </Progress.Root>
    </div>
  )
}

interface ResultProps {
  spaceId: number
  found: Found
  since: string | null
  version: number | undefined
}

function Result({ spaceId, found, since, version }: ResultProps) {
  const [asking, setAsking] = useState(false)
  const replay = useMutation({
    mutationFn: (current: number) => replayRules(spaceId, current, since),
    onSuccess: ({ members }) => toast(t.replayed(members)),
  })
  const { events, members, since: from } = found
  const counted = Date.parse(from) === 0 ? t.allCounted(events) : t.counted(events, atTime(from))
  const start = (current: number) => {
    setAsking(false)
    replay.mutate(current)
  }
  const same = version === undefined ? t.same : t.nowSame
  return (
    <Stack gap="md">
      <Text role="status">
        <b>{replay.data ? t.replayed(replay.data.members) : members === 0 ? same : t.differ(members)}</b> · {counted}
      </Text>
      <Differences found={found} />
      {members > 0 && version === undefined && (
        <Text size="sm" c="dimmed">
          {t.replayFirst}
        </Text>
      )}
      {members > 0 && version !== undefined && !replay.data && (
        <div>
          <Button onClick={() => setAsking(true)} loading={replay.isPending}>
            {t.replay(version)}
          </Button>
          <Dialog
            opened={asking}
            close={() => setAsking(false)}
            title={t.replayTitle(version)}
            action={t.replay(version)}
            pending={replay.isPending}
            onConfirm={() => start(version)}
          >
            <Text size="sm">{t.replayText(members)}</Text>
          </Dialog>
        </div>
      )}
      {replay.isPending && <Running says={t.replaying} />}
      <Fault error={replay.error} />
    </Stack>
  )
}
