import { canonicalMember } from '../addresses/addresses.ts'

/** A proven identity: its immutable subject and its username. */
export interface LinkedIdentity {
  kind: string
  subject: string
  username: string | null
}

/** The names of a person on boards, in lists and on starboards. */
export interface Names {
  /** Canonical addresses, mail addresses and handles, as on boards and in quests. */
  members: string[]
  /** Names in holder lists, including platform ids: in all lists (null), or in those of one type. */
  holders: { name: string; credType: string | null }[]
  /** Users of starboards: by id, or by handle if the starboard has no ids. */
  x: { ids: string[]; handles: string[] }
}

/** Platform kinds, and the credential type of lists of their accounts. */
const PLATFORMS: Record<string, string> = {
  Twitter: 'TWITTER',
  Discord: 'DISCORD',
  Github: 'GITHUB',
  Telegram: 'TELEGRAM',
}

/** The names of an address, mail address or handle without an account. */
export function namesOfMember(member: string): Names {
  return { members: [member], holders: [{ name: member, credType: null }], x: { ids: [], handles: [member] } }
}

/** All names of an account's identities, including all forms of their addresses. */
export function namesOfIdentities(identities: readonly LinkedIdentity[], aliases: readonly string[]): Names {
  const names: Names = { members: [], holders: [], x: { ids: [], handles: [] } }
  const everywhere = new Set(aliases)
  const handles = new Set<string>()
  for (const { kind, subject, username } of identities) {
    const credType = PLATFORMS[kind]
    if (kind.endsWith('Address') || kind === 'Email') everywhere.add(subject)
    if (credType === undefined) continue
    const handle = canonicalMember(username ?? '')
    names.holders.push({ name: subject, credType })
    if (kind === 'Twitter') names.x.ids.push(subject)
    if (handle === undefined) continue
    handles.add(handle)
    names.holders.push({ name: handle, credType })
    if (kind === 'Twitter') names.x.handles.push(handle)
  }
  for (const name of everywhere) names.holders.push({ name, credType: null })
  names.members = [...new Set([...everywhere, ...handles])].toSorted()
  return names
}
