import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { runSync, type Sync, syncsQuery } from '../api/operator.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { kindName } from '../content/source-texts.ts'
import { content } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.syncs
const colours: Record<Sync['state'], string> = {
  waiting: 'gray',
  running: 'blue',
  done: 'teal',
  failed: 'red',
  held: 'yellow',
}

/** `/operator/syncs` */
export default function SyncsPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Syncs />
    </PageLayout>
  )
}

/** Lists credentials with a source: the last run, its error, and a button to run it. */
function Syncs() {
  const syncs = useQuery(syncsQuery)
  if (syncs.isPending) return <Loading />
  if (syncs.isLoadingError) return <LoadFailure error={syncs.error} retry={() => void syncs.refetch()} />
  if (syncs.data.syncs.length === 0)
    return (
      <Empty icon="refresh" title={t.none} text={t.noneText}>
        <Button component={Link} href="/content">
          {content.titleOfAll}
        </Button>
      </Empty>
    )
  return (
    <Section title={t.sources}>
      <Fault error={syncs.error} />
      <ul className="rows">
        {syncs.data.syncs.map((sync) => (
          <SyncRow key={sync.credentialId} sync={sync} />
        ))}
      </ul>
    </Section>
  )
}

function SyncRow({ sync }: { sync: Sync }) {
  const { credentialId, name, kind, host, state } = sync
  const scheduled = sync.everySeconds !== null
  const run = useMutation({
    mutationFn: (options: { confirm: boolean }) => runSync(credentialId, options),
    onSuccess: () => toast(t.started(name)),
  })
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          <Link href={`/content/credentials/${credentialId}`} className="text-link">
            {name}
          </Link>
          {scheduled && (
            <Badge variant="light" color={colours[state]} tt="none">
              {t.states[state]}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {factsOf(sync).join(' · ')}
        </Text>
        <Text size="sm" c="dimmed">
          {kindName(kind)} <span className="mono">{host}</span>
        </Text>
        {sync.reason !== null && (
          <Text size="sm" className="bad">
            {state === 'failed' ? t.failures(sync.failures, sync.reason) : sync.reason}
          </Text>
        )}
        <Fault error={run.error} />
      </div>
      {scheduled && (
        <Group gap="xs">
          {state === 'held' && (
            <ConfirmButton
              label={t.confirm}
              question={t.confirmQuestion(sync.reason ?? '')}
              onConfirm={() => run.mutate({ confirm: true })}
            />
          )}
          <Button
            size="xs"
            variant="default"
            aria-label={t.runNamed(name)}
            loading={run.isPending || state === 'running'}
            onClick={() => run.mutate({ confirm: false })}
          >
            {t.run}
          </Button>
        </Group>
      )}
    </li>
  )
}

function factsOf({ holders, everySeconds, mode, lastSuccessAt, nextRunAt }: Sync): string[] {
  const list = t.holders(holders)
  if (everySeconds === null) return [list, mode === 'acts' ? t.byMembers : t.atAnswerTime]
  return [
    list,
    lastSuccessAt === null ? t.never : t.success(atTime(lastSuccessAt)),
    ...(nextRunAt === null ? [] : [t.next(atTime(nextRunAt))]),
  ]
}
