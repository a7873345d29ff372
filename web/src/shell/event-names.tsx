import { createContext, type ReactNode, use } from 'react'
import { Link } from 'wouter'
import type { EventNames } from '../api/account.ts'
import { account } from '../texts/index.ts'

const t = account.security

/** The account of an event, where the page does not imply it. Without a username if the account was deleted. */
export interface EventAccount {
  id: string
  username: string | undefined
}

const NamesContext = createContext<EventNames | undefined>(undefined)
export const Names = NamesContext.Provider

/** The page of each kind of object. */
export const pages: Record<string, (id: string) => string> = {
  space: (id) => `/content/spaces/${id}`,
  // The id of a sprint begins with that of its space.
  sprint: (id) => `/content/spaces/${id.split('-')[0]}`,
  quest: (id) => `/content/quests/${encodeURIComponent(id)}`,
  credential: (id) => `/content/credentials/${encodeURIComponent(id)}`,
  starboard: (id) => `/content/starboards/${encodeURIComponent(id)}`,
}

interface ObjectNameProps {
  kind: string
  id: string
  deleted?: boolean
}

/**
 * "quest Welcome" or "space Harbour", or "space 40" where names are unknown, with a link to the page of the object unless it
 * is deleted.
 */
export function ObjectName({ kind, id, deleted = false }: ObjectNameProps) {
  const names = use(NamesContext)
  const [space = '', sprint] = id.split('-')
  const isOfSpace = kind === 'space' || kind === 'sprint'
  const objects: Record<string, Record<string, string>> = names?.objectNames ?? {}
  // An ID can be the name of a property of all objects.
  const name = isOfSpace ? names?.spaceNames[space] : new Map(Object.entries(objects[kind] ?? {})).get(id)
  const text = `${t.details[kind] ?? kind} ${kind === 'sprint' ? sprint : (name ?? id)}`
  const isGone = deleted || (names !== undefined && name === undefined)
  const href = pages[kind]?.(id)
  return isGone || href === undefined ? text : <TextLink href={href}>{text}</TextLink>
}

/** The banned account or address. */
export function BanSubject({ id }: { id: string }) {
  const names = use(NamesContext)
  const { accountId, address } = names?.bans[id] ?? { accountId: null, address: null }
  if (accountId !== null)
    return <TextLink href={`/operator/people/${accountId}`}>{names?.usernames[accountId] ?? accountId}</TextLink>
  return <TextLink href="/operator/bans">{address ?? t.details.ban}</TextLink>
}

/** The file of an import. Old imports are deleted. */
export function ImportedFile({ id }: { id: string }) {
  const names = use(NamesContext)
  const file = names?.fileNames[id]
  if (names !== undefined && file === undefined) return `${t.details.import} ${id}`
  return <TextLink href={`/operator/import/${id}`}>{file ?? t.details.import}</TextLink>
}

/** An app, by its name. */
export function AppName({ id }: { id: string }) {
  const name = use(NamesContext)?.appNames[id]
  return name === undefined ? id : <TextLink href={`/operator/apps?app=${encodeURIComponent(id)}`}>{name}</TextLink>
}

/** A webhook, by its host. The page of its owner lists it. */
export function WebhookHost({ id }: { id: string }) {
  const webhook = use(NamesContext)?.webhooks[id]
  return webhook === undefined ? id : <TextLink href={`/operator/people/${webhook.accountId}`}>{webhook.host}</TextLink>
}

interface TokenNameProps {
  event: string
  name: string
  account: EventAccount | undefined
}

/** A token, by its name, with a link to the page that lists it. */
export function TokenName({ event, name, account }: TokenNameProps) {
  if (event.endsWith('.revoked')) return name
  if (account === undefined)
    return (
      <TextLink href={`/settings/server-api${event.startsWith('ingest-') ? '/ingest-tokens' : ''}`}>{name}</TextLink>
    )
  return account.username === undefined ? name : <TextLink href={`/operator/people/${account.id}`}>{name}</TextLink>
}

export function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-link">
      {children}
    </Link>
  )
}
