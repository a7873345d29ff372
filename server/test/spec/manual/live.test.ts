import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { giveAwards } from '../../support/awards.ts'
import { evmAddress, startWorld } from '../../support/fixture.ts'
import { followLive, type LiveClient, type LiveEvent } from '../../support/live.ts'
import { PAGE, publishableToken } from '../../support/pages.ts'

const text = readFileSync(join(import.meta.dirname, '../../../../docs/live.md'), 'utf8')
const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text)?.[1] ?? ''

const world = await startWorld()
const clients: LiveClient[] = []
afterAll(async () => {
  for (const client of clients) client.close()
  await world.stop()
})

const { token } = await publishableToken(world.deps)

const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
    : typeof value

test('the command of docs/live.md follows a board, and its events have the shape of the example', async () => {
  const [, path = ''] = /localhost:4000(\S+)'/.exec(block('sh')) ?? []
  const client = await followLive(world.url, path, { 'access-token': world.personas.business })
  clients.push(client)
  const board = await client.next()
  const sample = block('text').replaceAll('{…}', '{}').replaceAll(',…', '')
  const [whole, changes] = [...sample.matchAll(/event: (\w+)\ndata: (.*)/g)].map(([, event, data]) => ({
    event,
    data: JSON.parse(data ?? '') as Record<string, object[]>,
  }))
  expect(board.event).toBe(whole?.event)
  expect(Object.keys(board.data)).toEqual(Object.keys(whole?.data ?? {}))
  expect(shapeOf(board.data.list[0])).toEqual(shapeOf(whole?.data.list?.[0]))

  await give(evmAddress(1), 1_000)
  const next = await client.next()
  expect(next.event).toBe(changes?.event)
  expect(Object.keys(next.data)).toEqual(Object.keys(changes?.data ?? {}))
  expect(Object.keys(next.data.changed[0] ?? {})).toEqual(Object.keys(changes?.data.changed?.[0] ?? {}))
})

test('the script of docs/live.md shows the board and each change', async () => {
  type Listener = (event: { data: string }) => void
  /** The part of EventSource that the script uses. */
  class EventSource {
    readonly #listeners = new Map<string, Listener>()
    constructor(url: string) {
      // Ends with the test.
      this.#read(url.replace('https://questboard.example.com', '').replace('qbp_…', token)).catch(() => {})
    }
    addEventListener(name: string, listener: Listener): void {
      this.#listeners.set(name, listener)
    }
    async #read(path: string): Promise<void> {
      const client = await followLive(world.url, path, { origin: PAGE })
      clients.push(client)
      for (;;) {
        const { event, data }: LiveEvent = await client.next()
        this.#listeners.get(event)?.({ data: JSON.stringify(data) })
      }
    }
  }
  let shown: { position: number; points: number }[] = []
  const show = (list: typeof shown) => (shown = [...list])
  const module = `export default (EventSource, show) => { ${block('js')} }`
  const { default: script } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
    default: (source: typeof EventSource, draw: typeof show) => void
  }
  script(EventSource, show)
  await expect.poll(() => shown.length).toBe(10)
  await give(evmAddress(2), 1_000_000)
  await expect.poll(() => shown[0]?.points).toBeGreaterThan(999_999)
  expect(shown.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('the query of docs/live.md returns the members that changed since a version', async () => {
  const { business } = world.personas
  const start = await ask<{ space: { loyaltyPointsRanks: { version: string } } }>(
    world.url,
    '{ space(id: 40) { loyaltyPointsRanks { version } } }',
    { token: business },
  )
  await give(evmAddress(1), 1)
  const changed = await ask<{ space: { changes: { list: { address: { address: string } }[] } } }>(
    world.url,
    block('graphql'),
    { token: business, variables: { since: start.data.space.loyaltyPointsRanks.version } },
  )
  expect(changed.errors).toBeUndefined()
  expect(changed.data.space.changes.list.map(({ address }) => address.address)).toEqual([evmAddress(1)])
  const { data: sample } = JSON.parse(block('json')) as { data: object }
  expect(shapeOf(changed.data)).toEqual(shapeOf(sample))
})

const give = (address: string, points: number) =>
  world.database.kysely.transaction().execute((trx) => giveAwards(trx, [{ spaceId: 40, address, points }], world.clock))
