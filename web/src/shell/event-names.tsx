import { createContext, type ReactNode, use } from 'react'
import { Link } from 'wouter'
import type { EventNames } from '../api/account.ts'
import { account } from '../texts/index.ts'

const t = account.security

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

/** "space Harbour", or "space 40" where names are unknown, with a link to the page of the object unless it is deleted. */
export function ObjectName({ kind, id, deleted = false }: ObjectNameProps) {
  const names = use(NamesContext)
  const [space = '', sprint] = id.split('-')
  const spaceName = names?.spaceNames[space]
  const isOfSpace = kind === 'space' || kind === 'sprint'
  const label = kind === 'sprint' ? sprint : kind === 'space' ? (spaceName ?? id) : id
  const text = `${t.details[kind] ?? kind} ${label}`
  const isGone = deleted || (isOfSpace && names !== undefined && spaceName === undefined)
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

export function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-link">
      {children}
    </Link>
  )
}
