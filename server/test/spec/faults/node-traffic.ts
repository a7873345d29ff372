import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type AwardSenders, startAwardSenders } from '../../../../bench/faults/award-senders.ts'
import { openDatabase } from '../../../src/database/connection.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { distribute, readPlan } from '../../../src/distribution/distribute.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { ingestToken } from '../../ingest-api/arrange.ts'
import { ask, firstError } from '../../support/ask.ts'
import type { CitusNodes } from '../../support/citus-nodes.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createOnEveryNode, withClient } from '../../support/nodes.ts'
import { createPersonas } from '../../support/personas.ts'
import { startService, type TestService } from '../../support/service.ts'

export const PATIENCE = { timeout: 90_000, interval: 100 }
export const PAUSE_MS = 20
export const MEMBERS = 20
export const FAILED = /^UNAVAILABLE 503/

export const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

/** A database on every node, which only its test breaks. */
export async function distributedDatabase({ nodes }: CitusNodes, name: string): Promise<TestDatabase> {
  await createOnEveryNode(nodes, name)
  const connection = { ...nodes[0], database: name }
  await withClient(connection, async (client) => {
    await migrate(client)
    await distribute(client, await readPlan(client), () => {})
  })
  const opened = openDatabase({ connection, readConnections: 2, log: silentLog })
  const query: TestDatabase['query'] = async (text, values) => (await opened.pool.query(text, values)).rows as never
  return { ...opened, query, drop: () => opened.close() }
}

export interface ServiceWithBoards {
  service: TestService
  /** The tokens to read and to write. */
  token: string
  writer: string
}

/** Starts a service. Each of the first spaces has members. */
export async function serviceWithBoards(
  database: TestDatabase,
  spaces: readonly number[],
  others: readonly number[] = [],
): Promise<ServiceWithBoards> {
  const service = await startService({ database })
  const all = [...spaces, ...others]
  await importRecords(
    service.deps,
    'spaces',
    all.map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
  )
  // The names of new members are on other nodes than their board.
  await importRecords(
    service.deps,
    'points',
    spaces.flatMap((spaceId) =>
      Array.from({ length: MEMBERS }, (_, n) => ({ spaceId, address: addressOf(n), points: 0 })),
    ),
  )
  return { service, token: (await createPersonas(service.deps)).business, writer: await ingestToken(service) }
}

export interface Traffic {
  spaceId: number
  senders: AwardSenders
  /** The results of reads: `read`, or an error. */
  answers: string[]
  /** The number of stored awards. */
  stored: () => number
  stop(): Promise<void>
}

/** Awards and reads of one space, until stop(); `run` makes the keys unique. */
export function startTraffic({ service, token, writer }: ServiceWithBoards, spaceId: number, run: string): Traffic {
  const answers: string[] = []
  let stopping = false
  const senders = startAwardSenders({
    senders: 1,
    batch: 5,
    url: () => service.url,
    token: writer,
    award: (key) => ({
      key: `${run}-${key}`,
      spaceId,
      address: addressOf(Math.floor(Math.random() * MEMBERS)),
      points: 1,
    }),
  })
  const reading = (async () => {
    const text = `{ spaceLoyaltyPointsRanks(spaceId: ${spaceId}) { totalCount list { points } } }`
    for (; !stopping; await sleep(PAUSE_MS)) {
      const answer = await ask(service.url, text, { token })
      answers.push(answer.errors ? firstError(answer) : 'read')
    }
  })()
  return {
    spaceId,
    senders,
    answers,
    stored: () => senders.acknowledged().length,
    async stop() {
      stopping = true
      await Promise.all([reading, senders.stop()])
    },
  }
}

/** Waits until each space stores awards and answers reads again. */
export const flows = (traffic: readonly Traffic[]) =>
  Promise.all(
    traffic.map(async ({ spaceId, stored, answers }) => {
      const [before, read] = [stored(), answers.length]
      await vi.waitFor(() => {
        expect(stored(), `awards of space ${spaceId}`).toBeGreaterThan(before)
        expect(answers.slice(read), `reads of space ${spaceId}`).toContain('read')
      }, PATIENCE)
    }),
  )

/** More answers than requests that could wait: each space has one request at a time. */
export const ANSWERS_WHILE_HUNG = 20

/** Waits until reads of each space are refused at once. */
export async function refuses(traffic: readonly Traffic[]): Promise<void> {
  const refused = () => traffic.map(({ answers }) => answers.filter((answer) => FAILED.test(answer)).length)
  const before = refused()
  await vi.waitFor(() => {
    for (const [place, count] of refused().entries())
      expect(count - (before[place] ?? 0), `space ${traffic[place]?.spaceId}`).toBeGreaterThan(ANSWERS_WHILE_HUNG)
  }, PATIENCE)
}
