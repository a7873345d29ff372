import type { Connection } from '../connection.ts'
import { invalidResponse } from '../errors.ts'
import { readStream } from './stream.ts'

export interface LiveOptions {
  /** The number of first places, 1 to 100. Default 10, or 0 with `member`. */
  first?: number
  /** An address of a space, or the handle of a user of a starboard, whose place is followed too. */
  member?: string
  /** Ends the stream. */
  signal?: AbortSignal
}

/** A board after an event of its stream. */
export interface LiveBoard<Place, Member> {
  /** The version of the board, for `changes`. */
  version: string
  /** The members on the board; null if only one member is followed. */
  totalCount: number | null
  /** The first places; empty if only one member is followed. */
  list: readonly Place[]
  /** The places that differ from those of the event before. */
  changed: readonly Place[]
  /** The followed member; null if it is not on the board, or none is followed. */
  member: Member | null
}

/** The data of an event (docs/live.md). */
interface EventData<Place, Member> {
  version: string
  totalCount?: number
  list?: Place[]
  size?: number
  changed?: Place[]
  member?: Member | null
}

/** Follows the first places of a board, a member, or both. Each element is the whole state after an event. */
export async function* followBoard<Place extends { position: number }, Member>(
  { settings }: Connection,
  path: string,
  { first, member, signal, ...others }: LiveOptions & { sprintId?: number | null },
): AsyncGenerator<LiveBoard<Place, Member>, void> {
  const parameters = Object.entries({ first, member, ...others }).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as [string, string]],
  )
  const target = `live/${path}?${new URLSearchParams(parameters)}`
  let board: LiveBoard<Place, Member> = { version: '0', totalCount: null, list: [], changed: [], member: null }
  for await (const { name, data } of readStream(settings, target, signal)) {
    if (name !== 'board' && name !== 'changes') continue
    board = applyEvent(board, parse<EventData<Place, Member>>(data))
    yield board
  }
}

function applyEvent<Place extends { position: number }, Member>(
  before: LiveBoard<Place, Member>,
  { version, totalCount, list: whole, size, changed = whole ?? [], member }: EventData<Place, Member>,
): LiveBoard<Place, Member> {
  const list = whole ?? [...before.list]
  if (!whole) for (const place of changed) list[place.position - 1] = place
  return {
    version,
    totalCount: totalCount ?? before.totalCount,
    list: list.slice(0, size ?? list.length),
    changed,
    member: member === undefined ? before.member : member,
  }
}

function parse<Data>(text: string): Data {
  try {
    return JSON.parse(text) as Data
  } catch (cause) {
    throw invalidResponse('An event of the stream is not JSON', { cause })
  }
}
