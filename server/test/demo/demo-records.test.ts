import { expect, it } from 'vitest'
import { HOUR } from '../../src/clock.ts'
import type { Records } from '../../src/ingest/records.ts'
import { type DemoKind, readDemoRecords } from '../../src/demo/demo-records.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
async function read<K extends DemoKind>(kind: K, now = NOW): Promise<Records[K][]> {
  const records: Records[K][] = []
  for await (const record of readDemoRecords(kind, now)) records.push(record)
  return records
}

it.each<[DemoKind, number]>([
  ['sprints', 6],
  ['starboards', 3],
  ['credentials', 20],
  ['quests', 100],
])('shifts every time of %s to the time of the load', async (kind, atLeast) => {
  const timesAt = async (now: number) =>
    JSON.stringify(await read(kind, now))
      .match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)
      ?.map((time) => Date.parse(time) - now) ?? []
  const times = await timesAt(NOW)
  expect(times.length).toBeGreaterThanOrEqual(atLeast)
  expect(await timesAt(NOW + 1_234 * HOUR)).toEqual(times)
})

it('reads quests with unique ids and unique names within a space', async () => {
  const quests = await read('quests')
  expect(quests).toHaveLength(60)
  for (const { id } of quests) expect(id).toMatch(/^GC[A-Za-z0-9]{8}$/)
  expect(new Set(quests.map(({ id }) => id)).size).toBe(60)
  expect(new Set(quests.map(({ spaceId, name }) => `${spaceId} ${name}`)).size).toBe(60)
})

it('keeps all digits of a credential id above 2^53', async () => {
  const ids = (await read('credentials')).map(({ id }) => id)
  expect(ids.filter((id) => BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER))).toEqual(['293847562910384756'])
})
