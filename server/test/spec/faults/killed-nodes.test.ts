import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startClaimClients } from '../../../../bench/faults/claim-clients.ts'
import { isUnreachable } from '../../../src/database/connection.ts'
import type { DB } from '../../../src/database/tables.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { beginAwards } from '../../../src/ranking/awards.queries.ts'
import { settleProfileChanges } from '../../../src/ranking/profile-changes.ts'
import { send, statuses } from '../../ingest-api/arrange.ts'
import { type CitusNodes, startCitusNodes } from '../../support/citus-nodes.ts'
import { isCluster, type TestDatabase } from '../../support/database.ts'
import { portsOf, preparedTransactions } from '../../support/nodes.ts'
import type { TestService } from '../../support/service.ts'
import { listen } from '../../webhooks/listen.ts'
import {
  addressOf,
  distributedDatabase,
  FAILED,
  flows,
  MEMBERS,
  PATIENCE,
  PAUSE_MS,
  refuses,
  type ServiceWithBoards,
  serviceWithBoards,
  startTraffic,
} from './node-traffic.ts'

const bin = process.env.TEST_CITUS_BIN ?? ''
const SPACES = [1, 2, 3, 4, 5, 6, 7, 8]
/** For awards to members that are new there. */
const OTHER_SPACES = [11, 12, 13, 14, 15, 16, 17, 18]
const IMPORTED_SPACES = [21, 22, 23, 24, 25, 26, 27, 28]
const QUEST = { id: 'GCkilled01', spaceId: 31, name: 'Survive', type: 'Points', loyaltyPoints: 5 } as const
const NEWCOMERS = 100
const CLAIMANTS = 200
const SETTINGS = 'synchronous_commit = on\ncitus.recover_2pc_interval = 1s\n'
const OUTAGE_MS = 3_000

const touchBoard = (trx: Transaction<DB>, spaceId: number | undefined) =>
  sql`UPDATE boards SET member_count = member_count WHERE space_id = ${spaceId}`.execute(trx)
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const total = (points: readonly { points: number }[]) => points.reduce((sum, one) => sum + one.points, 0)

describe.skipIf(!isCluster() || bin === '')('a server that is killed during awards and reads', () => {
  let cluster: CitusNodes
  let database: TestDatabase
  let service: TestService
  let boards: ServiceWithBoards
  let writer: string
  let heard: Map<number, Awaited<ReturnType<typeof listen>>['heard']>

  beforeAll(async () => {
    cluster = await startCitusNodes({ bin, settings: SETTINGS })
    database = await distributedDatabase(cluster, 'killed')
    boards = await serviceWithBoards(database, SPACES, [...OTHER_SPACES, ...IMPORTED_SPACES, QUEST.spaceId])
    ;({ service, writer } = boards)
    await importRecords(service.deps, 'quests', [QUEST])
    // Its messages are rows of the coordinator.
    heard = new Map()
    // The node coordinates the awards of spaces without a webhook.
    const ports = await portsOf(database.pool, SPACES)
    for (const spaces of Map.groupBy(SPACES, (one) => ports.get(one)).values())
      for (const spaceId of spaces.slice(Math.floor(spaces.length / 2)))
        heard.set(
          spaceId,
          (await listen(database, { types: ['points.awarded'], subjects: [`space:${spaceId}`] })).heard,
        )
  })
  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    await cluster?.stop()
  })

  const start = (spaceId: number, run: string) => startTraffic(boards, spaceId, run)
  /** The awards that each worker has coordinated. */
  const committed = () =>
    service.app.owners
      .states()
      .filter(({ name }) => !name.endsWith(`:${cluster.nodes[0]?.port}`))
      .map((node) => node.committed)
  const prepared = () => preparedTransactions(cluster.nodes, 'killed')

  test('fails only requests for its rows, comes back without help, and loses nothing that was acknowledged', async () => {
    const ports = await portsOf(database.pool, SPACES)
    const dead = cluster.nodes[1]?.port
    const all = SPACES.map((spaceId) => start(spaceId, 'killed'))
    const [there, elsewhere] = [true, false].map((is) => all.filter((one) => (ports.get(one.spaceId) === dead) === is))
    expect([there?.length, elsewhere?.length]).not.toContain(0)
    try {
      await flows(all)

      await cluster.kill(1)
      await flows(elsewhere ?? [])
      await sleep(OUTAGE_MS)
      await flows(elsewhere ?? [])
      await cluster.start(1)
      await flows(all)
      for (const { answers } of elsewhere ?? []) expect(new Set(answers)).toEqual(new Set(['read']))
      for (const { answers } of there ?? [])
        expect(answers.filter((answer) => answer !== 'read' && !FAILED.test(answer))).toEqual([])
      expect((there ?? []).flatMap(({ answers }) => answers).some((answer) => FAILED.test(answer))).toBe(true)

      await cluster.kill(0)
      await sleep(OUTAGE_MS)
      await cluster.start(0)
      await flows(all)
    } finally {
      await Promise.all(all.map((one) => one.stop()))
    }
    for (const { answers } of all)
      expect(answers.filter((answer) => answer !== 'read' && !FAILED.test(answer))).toEqual([])
    await vi.waitFor(async () => expect(await prepared()).toEqual([]), PATIENCE)
    expect(committed()).not.toContain(0)

    for (const { spaceId, senders } of all) {
      const board = await database.query<{ address: string; points: number }>(
        'SELECT address, points FROM board_entries WHERE space_id = $1 AND points > 0',
        [spaceId],
      )
      const expected = Map.groupBy(senders.acknowledged(), ({ address }) => address)
      expect(Object.fromEntries(board.map(({ address, points }) => [address, points]))).toEqual(
        Object.fromEntries([...expected].map(([address, awards]) => [address, total(awards)])),
      )
      const messages = await heard.get(spaceId)?.()
      if (!messages) continue
      const told = messages.flatMap(({ data }) => data.awards as { points: number }[])
      expect(total(told), `messages about space ${spaceId}`).toBe(senders.acknowledged().length)
    }
  })

  test('that hangs instead is refused at once, while requests for other rows go on', async () => {
    const ports = await portsOf(database.pool, SPACES)
    const hung = cluster.nodes[1]?.port
    const all = SPACES.map((spaceId) => start(spaceId, 'hung'))
    const [there = [], elsewhere = []] = [true, false].map((is) =>
      all.filter((one) => (ports.get(one.spaceId) === hung) === is),
    )
    try {
      await flows(all)

      await cluster.freeze(1)
      await refuses(there)
      await flows(elsewhere)
      const stuck = database.kysely.transaction().execute((trx) => touchBoard(trx, there[0]?.spaceId))
      expect(isUnreachable(await failureOf(stuck))).toBe(true)
      await cluster.thaw(1)
      await flows(all)
    } finally {
      await cluster.thaw(1)
      await Promise.all(all.map((one) => one.stop()))
    }
    for (const { answers } of elsewhere) expect(new Set(answers)).toEqual(new Set(['read']))
    for (const { answers } of there)
      expect(answers.filter((answer) => answer !== 'read' && !FAILED.test(answer))).toEqual([])
    await vi.waitFor(async () => expect(await prepared()).toEqual([]), PATIENCE)
  })

  test('reports a node that is lost in the middle of a transaction as unreachable', async () => {
    const ports = await portsOf(database.pool, SPACES)
    const spaceId = SPACES.find((one) => ports.get(one) === cluster.nodes[1]?.port)
    const errorOf = async (finish: (trx: Transaction<DB>) => Promise<unknown>) => {
      const transaction = database.kysely.transaction().execute(async (trx) => {
        await touchBoard(trx, spaceId)
        await cluster.kill(1)
        await sleep(OUTAGE_MS) // its processes notice the kill by themselves
        return finish(trx)
      })
      const error = await failureOf(transaction)
      await cluster.start(1)
      return error
    }
    for (const finish of [async () => {}, (trx: Transaction<DB>) => beginAwards(trx, 1_000)]) {
      const error = await errorOf(finish)
      expect(error).toBeInstanceOf(Error)
      expect(isUnreachable(error), String(error)).toBe(true)
    }
  })

  test('lets members whose names are on a dead node join boards, and shows the names later', async () => {
    const named = Array.from({ length: MEMBERS }, (_, n) => ({
      address: addressOf(NEWCOMERS + n),
      username: `Name ${n}`,
    }))
    const [first = 0, ...others] = OTHER_SPACES
    await importRecords(
      service.deps,
      'points',
      named.map((one) => ({ ...one, spaceId: first, points: 1 })),
    )
    const ports = await portsOf(database.pool, others)
    const spaceId = others.find((one) => ports.get(one) !== cluster.nodes[1]?.port)
    const shown = () =>
      database.query<{ address: string; username: string }>(
        'SELECT address, username FROM board_entries WHERE space_id = $1 ORDER BY address',
        [spaceId],
      )

    await cluster.kill(1)
    try {
      const items = named.map(({ address }) => ({ key: address, spaceId, address, points: 1 }))
      const sent = await send(service, 'awards', items, { token: writer })
      expect(sent.status, JSON.stringify(sent.body)).toBe(200)
      expect(new Set(statuses(sent))).toEqual(new Set(['applied']))
      const names = new Set(named.map(({ username }) => username))
      const joined = await shown()
      expect(joined).toHaveLength(MEMBERS)
      expect(joined.filter(({ username }) => names.has(username))).toEqual([])
    } finally {
      await cluster.start(1)
    }
    await vi.waitFor(async () => {
      await settleProfileChanges(database.kysely, Date)
      expect(await shown()).toEqual(named)
      expect(await database.query('SELECT FROM profile_changes')).toEqual([])
    }, PATIENCE)
  })

  test('stores each acknowledged claim once, and each import on all boards or on none', async () => {
    const claims = startClaimClients({
      clients: 2,
      urls: () => [service.url],
      ingestToken: writer,
      claim: (n) => ({ key: `claim-${n}`, questId: QUEST.id, address: addressOf(CLAIMANTS + n) }),
    })
    let [begun, done, stopping] = [0, 0, false]
    const importing = (async () => {
      while (!stopping) {
        const points = ++begun
        const rows = IMPORTED_SPACES.flatMap((spaceId) =>
          Array.from({ length: MEMBERS }, (_, n) => ({ spaceId, address: addressOf(n), points })),
        )
        await importRecords(service.deps, 'points', rows).then(
          () => (done = points),
          () => sleep(PAUSE_MS),
        )
      }
    })()
    const both = () => [claims.answered().length, done]
    const go = async () => {
      const [claimed = 0, imported = 0] = both()
      await vi.waitFor(() => {
        expect(claims.answered().length, 'claims').toBeGreaterThan(claimed)
        expect(done, 'imports').toBeGreaterThan(imported)
      }, PATIENCE)
    }
    try {
      for (const node of [1, 2, 0]) {
        await go()
        await cluster.kill(node)
        await sleep(OUTAGE_MS)
        await cluster.start(node)
      }
      await go()
    } finally {
      stopping = true
      await Promise.all([importing, claims.stop()])
    }
    await vi.waitFor(async () => expect(await prepared()).toEqual([]), PATIENCE)

    const answered = claims.answered()
    expect(answered.flatMap(({ answers }) => answers).filter((one) => !['applied', 'duplicate'].includes(one))).toEqual(
      [],
    )
    const claimants = answered.map(({ address }) => address).toSorted()
    for (const table of ['quest_claims', 'quest_participants'])
      expect(
        (await database.query<{ address: string }>(`SELECT address FROM ${table} WHERE quest_id = $1`, [QUEST.id]))
          .map(({ address }) => address)
          .toSorted(),
        table,
      ).toEqual(claimants)
    const points = await database.query<{ address: string; points: number }>(
      'SELECT address, points FROM board_entries WHERE space_id = $1 ORDER BY address',
      [QUEST.spaceId],
    )
    expect(points).toEqual(claimants.map((address) => ({ address, points: QUEST.loyaltyPoints })))

    const imported = await database.query<{ points: number; rows: number }>(
      'SELECT points, count(*)::int AS rows FROM board_entries WHERE space_id = ANY($1) GROUP BY points',
      [IMPORTED_SPACES],
    )
    expect(imported.map(({ rows }) => rows)).toEqual([IMPORTED_SPACES.length * MEMBERS])
    expect(imported[0]?.points).toBeGreaterThanOrEqual(done)
  })
})
