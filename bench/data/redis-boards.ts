import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { RedisProcess } from '../processes/redis.ts'
import { withClient } from '../../server/test/support/nodes.ts'
import type { BenchDatabase } from './bench-database.ts'
import { RANKED } from './ranked-starboard.ts'

const FETCH = 10_000
/** Members that one command adds. */
const STEP = 500

/**
 * A board in Redis: a sorted set, scored by what members are ranked by, negated, so that the best come first and equal
 * ones in the order of their names; and what is shown of its members, in one form or in both.
 */
export interface RedisBoard {
  set: string
  /** The prefix of a member's name in the key of its hash. */
  each: string
  /** The hash that has all members, each as a JSON array of what is shown. */
  one: string
  /** What is shown of a member, in this order. */
  fields: readonly string[]
}

/** How the profiles of members are stored: one hash for each member, or one hash for all. */
export type Layout = 'each' | 'one'

interface Member {
  member: string
  score: number
  shown: Row
}

function boardNamed(name: string, fields: readonly string[]): RedisBoard {
  return { set: name, each: `${name}:member:`, one: `${name}:members`, fields }
}

/** The overall board of a space, as the service has it. */
export async function loadBoard(from: BenchDatabase, to: RedisProcess, layouts: readonly Layout[], spaceId: number) {
  const board = boardNamed(`space:${spaceId}`, ['username', 'avatar'])
  const text = 'SELECT points, address, username, avatar FROM board_entries WHERE space_id = $1 AND sprint_id = 0'
  await load(from, to, { board, layouts }, text, [spaceId], ({ address = '', points, ...shown }) => {
    return { member: address, score: -Number(points), shown }
  })
  return board
}

/** The points of the overall board of a space in one sorted set. @returns its key */
export async function loadPoints(from: BenchDatabase, to: RedisProcess, spaceId: number): Promise<string> {
  const board = boardNamed(`points:${spaceId}`, [])
  const text = 'SELECT points, address FROM board_entries WHERE space_id = $1 AND sprint_id = 0'
  await load(from, to, { board, layouts: [] }, text, [spaceId], ({ address = '', points }) => {
    return { member: address, score: Number(points), shown: {} }
  })
  return board.set
}

export async function loadStarboard(from: BenchDatabase, to: RedisProcess, layouts: readonly Layout[]) {
  const board = boardNamed(`starboard:${RANKED}`, ['username', 'name', 'profileImageUrl', 'followersCount'])
  const text = `
    SELECT k.score, u.handle, u.username, u.name, u.profile_image_url AS "profileImageUrl",
           u.followers_count::text AS "followersCount"
    FROM starboard_entries k JOIN starboard_users u USING (starboard_id, handle) WHERE k.starboard_id = $1`
  await load(from, to, { board, layouts }, text, [RANKED], ({ handle = '', score, ...shown }) => {
    return { member: handle, score: -Number(score), shown }
  })
  return board
}

type Row = Record<string, string>

async function load(
  from: BenchDatabase,
  to: RedisProcess,
  into: { board: RedisBoard; layouts: readonly Layout[] },
  text: string,
  values: unknown[],
  memberOf: (row: Row) => Member,
): Promise<void> {
  const cli = to.pipe()
  const done = once(cli, 'exit') as Promise<[number | null]>
  const commands = cli.stdin as Writable
  await withClient(from.connection, async (client) => {
    await client.query('BEGIN')
    await client.query(`DECLARE members NO SCROLL CURSOR FOR ${text}`, values)
    for (;;) {
      const { rows } = await client.query<Row>(`FETCH ${FETCH} FROM members`)
      if (rows.length === 0) break
      const members = rows.map(memberOf)
      if (!commands.write(commandsFor(into, members).join(''))) await once(commands, 'drain')
    }
  })
  commands.end()
  const [code] = await done
  if (code !== 0) throw new Error(`redis-cli --pipe ended with ${code}`)
}

function commandsFor(
  { board, layouts }: { board: RedisBoard; layouts: readonly Layout[] },
  members: readonly Member[],
): string[] {
  const commands: string[] = []
  for (let from = 0; from < members.length; from += STEP) {
    const some = members.slice(from, from + STEP)
    commands.push(command('ZADD', board.set, ...some.flatMap(({ member, score }) => [String(score), member])))
    if (layouts.includes('one'))
      commands.push(command('HSET', board.one, ...some.flatMap(({ member, shown }) => [member, JSON.stringify(board.fields.map((name) => shown[name]))])))
    if (layouts.includes('each'))
      for (const { member, shown } of some)
        commands.push(command('HSET', `${board.each}${member}`, ...Object.entries(shown).flat()))
  }
  return commands
}

/** A command in Redis's protocol. */
function command(...words: string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}
