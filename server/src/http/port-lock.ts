import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../clock.ts'

const RETRY = 5
/** Whoever holds a lock for longer does something else with it. */
const PATIENCE = 2 * SECOND

/**
 * Lets one process at a time see whether a port is free and take it (Linux). The lock is an abstract Unix socket: one
 * process alone can bind its name, it is in the same network namespace as the port, and the kernel frees it when the
 * process ends, however it does.
 * @param patience milliseconds after which the work is done without the lock, as it is where there are no such sockets:
 * nobody who merely holds a name keeps a service from its start
 */
export async function withPortLock<T>(port: number, work: () => Promise<T>, patience = PATIENCE): Promise<T> {
  const lock = await acquire(`\0questboard-port-${port}`, performance.now() + patience)
  try {
    return await work()
  } finally {
    lock?.close()
  }
}

async function acquire(path: string, until: number): Promise<Server | undefined> {
  for (;;) {
    const lock = createServer((socket) => socket.destroy())
    try {
      lock.listen({ path })
      await once(lock, 'listening')
      return lock
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() >= until) return undefined
      await sleep(RETRY)
    }
  }
}
