import type { LinkRecord, UserRecord } from '../ingest/records.ts'
import { type Person, xName } from './people.ts'
import { seededRandom } from './seeded-random.ts'
import type { DemoStarboard } from './starboards.ts'

/** Somebody on X; the same user may be tracked by several starboards. */
export interface XUser {
  profile: Omit<UserRecord, 'starboardId'>
  /** EVM addresses, the main one first. */
  wallets: string[]
}

/** A user of a demo starboard; the earlier in the list, the more influence. */
export interface DemoUser extends XUser {
  /**
   * Days before the load time since when samples exist; 0 for somebody found with the newest round, below 0 for
   * somebody who is tracked and not yet measured.
   */
  joined: number
}

export const DAYS_OF_SAMPLES = 40

/** Users of X, the most followed first by and large; their wallets are those of the community's people. */
export function createXUsers(count: number, people: readonly Person[]): XUser[] {
  const random = seededRandom('users of X')
  const wallets = people.map((person) => person.address).filter((address) => address.startsWith('0x'))
  const taken = new Set<string>()
  let nextWallet = 0
  return Array.from({ length: count }, (_, place) => {
    const { username, name } = xName(random, taken)
    const linked = random.chance(0.64) ? (random.chance(0.13) ? random.whole(2, 4) : 1) : 0
    nextWallet += linked
    return {
      profile: {
        username,
        userId: String(random.whole(10 ** 8, 10 ** 15)),
        name,
        profileImageUrl: random.chance(0.95) ? `https://images.questboard.example/x/${random.hex(20)}.jpg` : '',
        followersCount: Math.round((430_000 * Math.exp(0.9 * random.normal())) / (place + 4) ** 0.8),
        verifiedType: verification(random.next()),
        isPublic: !random.chance(0.04),
      },
      wallets: wallets.slice(nextWallet - linked, nextWallet),
    }
  })
}

function verification(share: number): 'blue' | 'business' | 'government' | 'none' {
  if (share < 0.31) return 'blue'
  if (share < 0.345) return 'business'
  return share < 0.349 ? 'government' : 'none'
}

/** Those whom a starboard tracks, in the order of their influence when it began. */
export function usersOf(board: DemoStarboard, everybody: readonly XUser[]): DemoUser[] {
  const random = seededRandom(`users of starboard ${board.id}`)
  const candidates = everybody.filter((user) => !board.onlyLinked || user.wallets.length > 0)
  const chosen = candidates.filter(() => random.chance(board.share))
  return chosen.slice(0, board.users).map((user, place, all) => {
    if (place >= all.length - 3) return { ...user, joined: -2 }
    return { ...user, joined: random.chance(0.78) ? DAYS_OF_SAMPLES : random.whole(0, DAYS_OF_SAMPLES - 1) }
  })
}

export function* userRecords(board: DemoStarboard, users: readonly DemoUser[]): Generator<UserRecord> {
  for (const { profile } of users) yield { starboardId: board.id, ...profile }
}

export function* linkRecords(board: DemoStarboard, users: readonly DemoUser[]): Generator<LinkRecord> {
  for (const { profile, wallets } of users)
    for (const evmAddress of wallets) yield { starboardId: board.id, evmAddress, handle: profile.username }
}
