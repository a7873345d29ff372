import { MINUTE } from '../clock.ts'
import { type Address, type Doors, joinDoors, SHARES_PORTS, type Take } from '../http/doors.ts'
import type { Logger } from '../log.ts'

/** Doors that a worker has itself while more come than can be handed to it. */
export interface OwnDoors {
  /** Opens them, unless they are, and keeps them open until it is quiet. */
  open: (at: Address) => Promise<void>
  close: () => void
}

const LOOK_EVERY = MINUTE / 2
/** Fewer between two looks are handed over with ease. */
const MANY = 50

/**
 * A worker is handed one connection in a turn of its event loop, which is even but slow when it is busy. In a crowd it
 * takes them itself, and the system spreads them.
 */
export function createOwnDoors(take: Take, log: Logger): OwnDoors {
  let doors: Promise<Doors> | undefined
  let came = 0
  let looking: NodeJS.Timeout | undefined

  const close = (): void => {
    clearInterval(looking)
    void doors?.then((open) => open.close())
    doors = undefined
  }

  const look = (): void => {
    if (came < MANY) close()
    came = 0
  }

  return {
    async open(at) {
      came += MANY
      if (doors || !SHARES_PORTS) return
      doors = joinDoors((socket) => {
        came++
        take(socket)
      }, at)
      looking = setInterval(look, LOOK_EVERY).unref()
      try {
        await doors
      } catch (error) {
        log.warn({ err: error }, 'a crowd cannot be let in by the worker itself')
        doors = undefined
        clearInterval(looking)
      }
    },
    close,
  }
}
