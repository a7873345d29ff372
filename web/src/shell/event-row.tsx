import { Text } from '@mantine/core'
import { Link } from 'wouter'
import type { SecurityEvent } from '../api/account.ts'
import { account as texts, signIn } from '../texts/index.ts'
import { atTime } from './dates.ts'

/** The account of commands and periodic tasks (server/src/audit/audit.ts). */
const COMMANDS = '00000000-0000-0000-0000-000000000000'
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

interface EventRowProps {
  event: SecurityEvent
  /** Without a username if the account was deleted. */
  account?: { id: string; username: string | undefined }
  /** The page is about the app of the event. */
  ofApp?: boolean
}

/** One line of a log: the event, its details, and the account where the page does not imply it. */
export function EventRow({ event, account, ofApp = false }: EventRowProps) {
  return (
    <li className="row">
      <div className="row-main">
        {texts.security.events[event.event] ?? event.event}
        <Text size="xs" c="dimmed">
          {detailsOf(event, ofApp)}
        </Text>
        {account !== undefined && (
          <Text size="xs" c="dimmed">
            {account.username === undefined ? (
              <span className="mono">{account.id === COMMANDS ? texts.security.byCommand : account.id}</span>
            ) : (
              <Link href={`/operator/people/${account.id}`} className="text-link">
                {account.username}
              </Link>
            )}
          </Text>
        )}
      </div>
      <Text size="sm" c="dimmed">
        {atTime(event.at)}
        {event.address && <span className="mono"> · {event.address}</span>}
      </Text>
    </li>
  )
}

/** Details with a word of the service. Names and texts of users are shown as they are. */
const isWord = (name: string) => ['by', 'how', 'kind', 'role', 'spaces', 'space', 'perSecond', 'perDay'].includes(name)

/** Formats a detail: kinds by name, times in local time, numbers with their unit. */
function detailsOf({ details = {}, clientId }: SecurityEvent, ofApp: boolean): string {
  const { details: words } = texts.security
  const values = Object.entries(details).map(([name, value]) =>
    /^\d+$/.test(value)
      ? `${words[name] ?? name} ${value}`
      : TIME.test(value)
        ? atTime(value)
        : (signIn.kinds[value] ?? (isWord(name) ? words[value] : undefined) ?? value),
  )
  return [...values, ...(clientId === undefined || ofApp ? [] : [clientId])].join(' · ')
}
