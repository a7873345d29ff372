import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { endAllSessions, endSession, openSessionsQuery } from '../api/account.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime, onDay } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { account as texts } from '../texts/index.ts'
import { readUserAgent } from './user-agent.ts'

const t = texts.security

/** Every browser in which the user is signed in. */
export function Sessions() {
  const open = useQuery(openSessionsQuery)
  const end = useMutation({ mutationFn: endSession, onSuccess: () => toast(t.ended) })
  const endAll = useMutation({ mutationFn: endAllSessions })
  return (
    <Section title={t.sessions}>
      {open.isPending && <Loading />}
      {open.isError && <LoadFailure error={open.error} retry={() => void open.refetch()} />}
      <ul className="rows">
        {open.data?.sessions.map(({ sessionId, userAgent, address, lastSeenAt, authenticatedAt, current }) => (
          <li key={sessionId} className="row">
            <div className="row-main">
              <Text fw={500}>
                {nameOf(userAgent)}{' '}
                {current && (
                  <Badge variant="light" size="sm" tt="none">
                    {t.current}
                  </Badge>
                )}
              </Text>
              <Text size="sm" c="dimmed">
                {t.seen(atTime(lastSeenAt))} · {t.signedIn(onDay(authenticatedAt))} ·{' '}
                <span className="mono">{address}</span>
              </Text>
            </div>
            {!current && (
              <ConfirmButton
                label={t.end}
                name={t.endNamed(nameOf(userAgent))}
                question={t.endConfirm}
                pending={end.isPending && end.variables === sessionId}
                onConfirm={() => end.mutate(sessionId)}
              />
            )}
          </li>
        ))}
      </ul>
      <Fault error={end.error ?? endAll.error} />
      <div>
        <ConfirmButton
          label={t.endAll}
          question={t.endAllConfirm}
          pending={endAll.isPending}
          onConfirm={() => endAll.mutate()}
        />
      </div>
    </Section>
  )
}

function nameOf(userAgent: string): string {
  const { browser, system } = readUserAgent(userAgent)
  if (browser !== undefined && system !== undefined) return t.browserOn(browser, system)
  return browser ?? system ?? t.unknownBrowser
}
