import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../services.ts'
import { mirrorCredential } from './mirror-credential.ts'
import { mirrorQuests, mirrorQuestsOfSpace } from './mirror-quests.ts'
import { mirrorSpace } from './mirror-space.ts'
import { mirrorStarboard } from './mirror-starboard.ts'
import type { Mirroring } from './mirroring.ts'
import { createSourceClient } from './source-client.ts'

export interface MirrorOrder {
  /** The base URL of the source. */
  from: string
  token: string
  spaces: readonly number[]
  /** Sprints of the one given space. */
  sprints: readonly number[]
  starboards: readonly string[]
  quests: readonly string[]
  credentials: readonly string[]
  /** Addresses to check for each credential; undefined leaves holder lists unchanged. */
  addresses: readonly string[] | undefined
}

export interface MirrorOptions extends Pick<Mirroring, 'progress' | 'say'> {
  signal: AbortSignal
  /** Waits; default: real time. */
  pause?: (milliseconds: number) => Promise<void>
}

/** Copies the objects of an order from a service with the same API; running it again updates them. */
export async function runMirror(deps: Dependencies, order: MirrorOrder, options: MirrorOptions): Promise<void> {
  const { database, clock, random, outgoing, config } = deps
  const { signal } = options
  const pause =
    options.pause ??
    (async (milliseconds: number) => {
      await sleep(milliseconds, undefined, { signal })
    })
  const client = createSourceClient({ outgoing, clock, random, from: order.from, token: order.token, pause, signal })
  const source = createHash('sha256').update(new URL(order.from).href).digest('hex').slice(0, 16)
  const folder = join(config.dataDir, 'mirror', source)
  const mirroring: Mirroring = { client, database, clock, signal, folder, progress: options.progress, say: options.say }
  for (const spaceId of order.spaces) {
    await mirrorSpace(mirroring, spaceId, order.sprints)
    await mirrorQuestsOfSpace(mirroring, spaceId)
  }
  for (const id of order.starboards) await mirrorStarboard(mirroring, id)
  for (const id of order.credentials) await mirrorCredential(mirroring, id, order.addresses)
  if (order.quests.length > 0) await mirrorQuests(mirroring, order.quests)
}
