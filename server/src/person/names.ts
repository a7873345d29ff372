import { canonicalMember } from '../addresses/addresses.ts'

/** As an account has proved it: a subject that stays, and what people call it. */
export interface LinkedIdentity {
  kind: string
  subject: string
  username: string | null
}

/** What somebody is called where boards, lists and starboards name people. */
export interface Names {
  /** Addresses, mail addresses and handles, in their canonical form: as they stand on boards and in quests. */
  members: string[]
  /** The same and the ids of platforms as they stand in holder lists: in all (null), or in those of one type. */
  holders: { name: string; credType: string | null }[]
  /** Users of starboards: who has this id, or, where a starboard knows no ids, this handle. */
  x: { ids: string[]; handles: string[] }
}

/** The kinds of identities that are accounts of a platform, and the type that lists of such accounts have. */
const PLATFORMS: Record<string, string> = {
  Twitter: 'TWITTER',
  Discord: 'DISCORD',
  Github: 'GITHUB',
  Telegram: 'TELEGRAM',
}

/** The names of an address, a mail address or a handle about which nothing more is known. */
export function namesOfMember(member: string): Names {
  return { members: [member], holders: [{ name: member, credType: null }], x: { ids: [], handles: [member] } }
}

/** Every name under which the identities of an account are known, and every spelling of their addresses. */
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
