import { randomInt } from 'node:crypto'
import type { BenchDatabase } from '../data/bench-database.ts'
import { type ServiceProcess, startService } from '../processes/service.ts'

/** Several services on one database, which can be killed. */
export interface Instances {
  /** Where the services that live are reached. */
  urls(): readonly string[]
  /** Kills some at random and starts others in their place. */
  kill(count: number): Promise<void>
  close(): Promise<void>
}

export async function startInstances(database: BenchDatabase, count: number): Promise<Instances> {
  const start = () => startService(database, { pinned: false })
  const living = await Promise.all(Array.from({ length: count }, start))
  return {
    urls: () => living.map(({ url }) => url),
    async kill(victims) {
      const dead: ServiceProcess[] = []
      for (let n = 0; n < victims; n++) dead.push(...living.splice(randomInt(living.length), 1))
      const ended = dead.find(({ child }) => child.exitCode !== null)
      if (ended) throw new Error(`a service ended by itself with ${ended.child.exitCode}`)
      await Promise.all(dead.map((service) => service.stop('SIGKILL')))
      living.push(...(await Promise.all(dead.map(start))))
    },
    async close() {
      await Promise.all(living.map((service) => service.stop()))
    },
  }
}
