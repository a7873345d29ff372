import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError, type StreamLimit } from '../errors.ts'
import type { EventStream } from './event-stream.ts'
import { MAX_OF_NETWORK, STREAMS_PER_TURN, TOKEN_SHARE } from './limits.ts'

/** The token of a stream. */
export interface StreamOwner {
  tokenId: string
  /** Names the token and the network, for a publishable token. */
  network: string | undefined
  /** Looks the token up again. @throws INVALID_TOKEN */
  authenticate: () => Promise<unknown>
}

/** Reserves room for one stream of the process. */
export interface StreamSlot {
  hold(stream: EventStream): void
  leave(): void
}

/** Limits the streams of this process, and of each token and network. */
export interface StreamSlots {
  readonly size: number
  /** @returns a slot, or the limit that is reached */
  take(holder: StreamOwner): StreamSlot | StreamLimit
  /** Keeps all connections open. */
  beat(): Promise<void>
  /** Ends the streams of tokens that are no longer valid. */
  check(): Promise<void>
}

interface Group {
  holder: StreamOwner
  streams: Set<EventStream>
  taken: number
}

/** One exists for each stream, so it has no closures. */
class Slot implements StreamSlot {
  readonly #group: Group
  readonly #network: string | undefined
  readonly #free: (group: Group, network: string | undefined) => void
  #stream: EventStream | undefined

  constructor(group: Group, network: string | undefined, free: (group: Group, network: string | undefined) => void) {
    this.#group = group
    this.#network = network
    this.#free = free
  }

  hold(stream: EventStream): void {
    this.#stream = stream
    this.#group.streams.add(stream)
  }

  leave(): void {
    if (this.#stream) this.#group.streams.delete(this.#stream)
    this.#free(this.#group, this.#network)
  }
}

export function createStreamSlots(max: number): StreamSlots {
  const tokens = new Map<string, Group>()
  const networks = new Map<string, number>()
  const share = Math.max(1, Math.floor(max * TOKEN_SHARE))
  let size = 0
  let checking = false

  function countNetwork(network: string | undefined, change: 1 | -1): void {
    if (network === undefined) return
    const taken = (networks.get(network) ?? 0) + change
    if (taken === 0) networks.delete(network)
    else networks.set(network, taken)
  }

  function free(group: Group, network: string | undefined): void {
    size--
    if (--group.taken === 0) tokens.delete(group.holder.tokenId)
    countNetwork(network, -1)
  }

  return {
    get size() {
      return size
    },
    take(holder) {
      const { tokenId, network } = holder
      const group = tokens.get(tokenId) ?? { holder, streams: new Set(), taken: 0 }
      if (size >= max) return 'worker full'
      if (group.taken >= share) return 'token full'
      if (network !== undefined && (networks.get(network) ?? 0) >= MAX_OF_NETWORK) return 'network full'
      tokens.set(tokenId, group)
      // The token can have been regenerated since the first stream.
      group.holder = holder
      size++
      group.taken++
      countNetwork(network, 1)
      return new Slot(group, network, free)
    },
    async beat() {
      let beaten = 0
      for (const { streams } of [...tokens.values()])
        for (const stream of streams) {
          stream.beat()
          if (++beaten % STREAMS_PER_TURN === 0) await nextTurn()
        }
    },
    async check() {
      if (checking) return
      checking = true
      await Promise.all([...tokens.values()].map(checkGroup))
      checking = false
    },
  }
}

async function checkGroup({ holder, streams }: Group): Promise<void> {
  try {
    await holder.authenticate()
  } catch (error) {
    // If the database does not respond, the token may be valid.
    if (error instanceof ServiceError && error.code === 'INVALID_TOKEN') for (const stream of streams) stream.end()
  }
}
