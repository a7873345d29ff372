import { SECOND } from '../clock.ts'
import { type Address, type Doors, joinDoors, SHARES_PORTS, type Take } from '../http/doors.ts'
import type { Logger } from '../log.ts'

/** Listening sockets that a worker has itself as long as more come than can be handed to it. */
export interface OwnDoors {
  open: (at: Address) => Promise<void>
  close: () => Promise<void>
}

export interface OwnDoorsOptions {
  take: Take
  /** Is told again and again how many have come since. */
  came: (count: number) => void
  log: Pick<Logger, 'warn'>
  /** Milliseconds. */
  tellEvery?: number
}

/**
 * A worker is handed one connection in a turn of its event loop, which is even but slow when it is busy. In a crowd it
 * takes them itself, and the system spreads them.
 */
export function createOwnDoors({ take, came, log, tellEvery = 5 * SECOND }: OwnDoorsOptions): OwnDoors {
  let doors: Promise<Doors | undefined> | undefined
  let count = 0
  let telling: NodeJS.Timeout | undefined

  const tell = (): void => {
    came(count)
    count = 0
  }

  return {
    async open(at) {
      if (doors || !SHARES_PORTS) return
      telling = setInterval(tell, tellEvery).unref()
      doors = joinDoors((socket) => {
        count++
        take(socket)
      }, at).catch((error: unknown) => {
        log.warn({ err: error }, 'a worker cannot listen itself in a crowd')
        return undefined
      })
      await doors
    },
    async close() {
      clearInterval(telling)
      const opened = doors
      doors = undefined
      const open = await opened
      open?.close()
    },
  }
}
