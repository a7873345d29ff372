import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { MOST_WAIT_FOR_A_PLACE } from '../lifetimes.ts'
import type { Hand } from './hand.ts'

/** Where connections wait until a worker has taken the one before. */
export interface Reception {
  receive: (socket: Socket) => void
  /** A worker can take one. */
  handOn: () => void
  /** Hands on what waits. @returns when nothing does */
  close: () => Promise<void>
}

export interface ReceptionOptions {
  /** The worker whose turn it is, of those that have taken what they were given. */
  free: () => Pick<Hand, 'take'> | undefined
  /** Many wait; told again every second as long as they do. */
  crowded: () => void
  /** Takes who cannot wait any longer. */
  turnAway: (socket: Socket) => void
  /** So many may wait. */
  most?: number
  /** Milliseconds that one may wait. */
  patience?: number
}

interface Waiting {
  socket: Socket
  since: number
}

const MOST_WAITING = 2_000
const CROWD = 32
const LOOKS_A_WAIT = 10

/**
 * A worker is handed one connection in a turn of its event loop, in the order in which they came: while it is busy many
 * may wait. Beyond `most`, and after `patience`, they are turned away.
 */
export function createReception({
  free,
  crowded,
  turnAway,
  most = MOST_WAITING,
  patience = MOST_WAIT_FOR_A_PLACE,
}: ReceptionOptions): Reception {
  const line: Waiting[] = []
  let looking: NodeJS.Timeout | undefined
  let toldCrowded = -Infinity
  let emptied: PromiseWithResolvers<void> | undefined

  const handOn = (): void => {
    for (let hand = line.length > 0 && free(); hand; hand = line.length > 0 && free()) {
      const { socket } = line.shift() as Waiting
      hand.take(socket)
    }
    if (line.length === 0) rest()
  }

  const look = (): void => {
    const oldest = performance.now() - patience
    const late = line.findIndex(({ since }) => since >= oldest)
    for (const { socket } of line.splice(0, late === -1 ? line.length : late)) turnAway(socket)
    handOn()
  }

  function rest(): void {
    clearInterval(looking)
    looking = undefined
    emptied?.resolve()
  }

  return {
    receive(socket) {
      // Who has gone meanwhile is found out where it is taken.
      socket.on('error', () => {})
      if (line.length >= most) return turnAway(socket)
      line.push({ socket, since: performance.now() })
      if (line.length >= CROWD && performance.now() - toldCrowded >= SECOND) {
        toldCrowded = performance.now()
        crowded()
      }
      looking ??= setInterval(look, patience / LOOKS_A_WAIT)
      handOn()
    },
    handOn,
    close() {
      emptied = Promise.withResolvers()
      if (line.length === 0) emptied.resolve()
      return emptied.promise
    },
  }
}
