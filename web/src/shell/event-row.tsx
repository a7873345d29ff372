import { Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { EventNames, SecurityEvent } from '../api/account.ts'
import { account as texts, signIn, sources } from '../texts/index.ts'
import { atTime } from './dates.ts'
import {
  AppName,
  BanSubject,
  type EventAccount,
  ImportedFile,
  Names,
  ObjectName,
  TextLink,
  TokenName,
  WebhookHost,
} from './event-names.tsx'
import { describeEvent, isObject } from './event-title.tsx'
import { wordOfDetail } from './word-of-detail.ts'

/** The account of commands and periodic tasks (server/src/audit/audit.ts). */
const COMMANDS = '00000000-0000-0000-0000-000000000000'
/** The end of the name of an old value. */
const BEFORE = 'Before'
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

interface EventRowProps {
  event: SecurityEvent
  account?: EventAccount
  /** Without names, the row shows IDs. */
  names?: EventNames
  /** The page is about the app of the event. */
  ofApp?: boolean
}

/** One line of a log: the event, its details, and the account where the page does not imply it. */
export function EventRow({ event, account, names, ofApp = false }: EventRowProps) {
  const { title, rest } = describeEvent(event)
  // Lines with links are 24 pixels high, so that a finger hits one link only.
  return (
    <Names value={names}>
      <li className="row">
        <div className="row-main">
          <span>{title}</span>
          <Text size="xs" lh="1.5rem" c="dimmed">
            {detailsOf({ ...event, details: rest }, account, ofApp).map((detail, place) => (
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
    </Names>
  )
}

function detailsOf(
  { event, details = {}, clientId }: SecurityEvent,
  account: EventAccount | undefined,
  ofApp: boolean,
): ReactNode[] {
  const { kind = '', id, ...others } = details
  const { tokenId, name, ...ofToken } = details
  const values: ReactNode[] =
    event === 'app.changed'
      ? appChanges(details)
      : id !== undefined && isObject(kind)
        ? [<ObjectName key="object" kind={kind} id={id} />, ...eachDetail(others)]
        : tokenId !== undefined && name !== undefined
          ? [<TokenName key="token" event={event} name={name} account={account} />, ...eachDetail(ofToken)]
          : eachDetail(details)
  return [...values, ...(clientId === undefined || ofApp ? [] : [<AppName key="app" id={clientId} />])]
}

const eachDetail = (details: Record<string, string>): ReactNode[] =>
  Object.entries(details)
    .filter(([, value]) => value !== '')
    .map(detailOf)

/** Formats a detail: objects with a link, kinds by name, times in local time, numbers with their unit. */
function detailOf([name, value]: [string, string]): ReactNode {
  const { details: words } = texts.security
  if (name === 'ban') return <BanSubject id={value} />
  if (name === 'webhook') return <WebhookHost id={value} />
  if (name === 'import') return <ImportedFile id={value} />
  if (name === 'snapshots') return <TextLink href={`/content/spaces/${value}/snapshots`}>{words.snapshots}</TextLink>
  if (isObject(name) && /^[\w-]+$/.test(value) && words[value] === undefined)
    return <ObjectName kind={name} id={value} />
  if (/^\d+$/.test(value)) return `${words[name] ?? name} ${value}`
  if (TIME.test(value)) return name === 'endsAt' ? texts.security.until(atTime(value)) : atTime(value)
  return wordOfDetail(name, value, { ...texts.security, kinds: { ...signIn.kinds, ...sources.kinds } })
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
