import { Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { SecurityEvent } from '../api/account.ts'
import { account as texts, signIn } from '../texts/index.ts'
import { atTime } from './dates.ts'
import { describeEvent, isObject, ObjectName } from './event-title.tsx'

/** The account of commands and periodic tasks (server/src/audit/audit.ts). */
const COMMANDS = '00000000-0000-0000-0000-000000000000'
/** The end of the name of an old value. */
const BEFORE = 'Before'
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
  const { title, rest } = describeEvent(event)
  // Lines with links are 24 pixels high, so that a finger hits one link only.
  return (
    <li className="row">
      <div className="row-main">
        <span>{title}</span>
        <Text size="xs" lh="1.5rem" c="dimmed">
          {detailsOf({ ...event, details: rest }, ofApp).map((detail, place) => (
            <Fragment key={place}>
              {place > 0 && ' · '}
              {detail}
            </Fragment>
          ))}
        </Text>
        {account !== undefined && (
          <Text size="xs" lh="1.5rem" c="dimmed">
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

function detailsOf({ event, details = {}, clientId }: SecurityEvent, ofApp: boolean): ReactNode[] {
  const { kind = '', id, ...others } = details
  const values: ReactNode[] =
    event === 'app.changed'
      ? appChanges(details)
      : id !== undefined && isObject(kind)
        ? [<ObjectName key="object" kind={kind} id={id} />, ...Object.entries(others).map(detailOf)]
        : Object.entries(details).map(detailOf)
  return [...values, ...(clientId === undefined || ofApp ? [] : [clientId])]
}

/** Formats a detail: objects with a link, kinds by name, times in local time, numbers with their unit. */
function detailOf([name, value]: [string, string]): ReactNode {
  const { details: words } = texts.security
  if (isObject(name) && /^\w+$/.test(value) && words[value] === undefined) return <ObjectName kind={name} id={value} />
  if (/^\d+$/.test(value)) return `${words[name] ?? name} ${value}`
  if (TIME.test(value)) return atTime(value)
  return signIn.kinds[value] ?? (isWord(name) ? words[value] : undefined) ?? value
}

/** "Redirect URIs: old → new" for each field; `fields` also lists those whose values are not logged. */
function appChanges({ fields = '', ...values }: Record<string, string>): string[] {
  const nameOf = (field: string) => texts.security.appFields[field] ?? field
  const named = Object.entries(values).flatMap(([field, value]) => {
    if (field.endsWith(BEFORE)) return []
    const before = values[field + BEFORE]
    return [`${nameOf(field)}: ${before === undefined || before === value ? value : `${before} → ${value}`}`]
  })
  return [...named, ...fields.split(' ').flatMap((field) => (field === '' || field in values ? [] : [nameOf(field)]))]
}
