import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { HOUR } from '../../src/clock.ts'
import { credentialRecords } from '../../src/demo/credentials.ts'
import { holderRecords } from '../../src/demo/holders.ts'
import { pointsRecords } from '../../src/demo/loyalty-points.ts'
import { createPeople } from '../../src/demo/people.ts'
import { participantRecords, questRecords } from '../../src/demo/quests.ts'
import { seededRandom } from '../../src/demo/seeded-random.ts'
import { sampleRecords } from '../../src/demo/starboard-samples.ts'
import { createXUsers, linkRecords, userRecords, usersOf } from '../../src/demo/starboard-users.ts'
import { starboardRecords, starboards } from '../../src/demo/starboards.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** Everything of the demo as text, with every time as its distance from the time of loading. */
function* everything(now: number): Generator<string> {
  const text = (record: object) =>
    JSON.stringify(record, function (this: Record<string, unknown>, key, value: unknown) {
      const original = this[key]
      return original instanceof Date ? original.getTime() - now : value
    })
  const people = createPeople(6_500)
  for (const record of pointsRecords(people)) yield text(record)
  for (const record of starboardRecords(now)) yield text(record)
  const everybody = createXUsers(2_000, people)
  for (const board of starboards) {
    const users = usersOf(board, everybody)
    for (const record of userRecords(board, users)) yield text(record)
    for (const record of linkRecords(board, users)) yield text(record)
    for (const record of sampleRecords(board, users, now)) yield text(record)
  }
  for (const record of credentialRecords(now)) yield text(record)
  for (const record of holderRecords(people)) yield text(record)
  for (const record of questRecords(now)) yield text(record)
  for (const record of participantRecords(people, now)) yield text(record)
}

function fingerprint(now: number): string {
  const hash = createHash('sha256')
  for (const line of everything(now)) hash.update(line)
  return hash.digest('hex')
}

test('the demo is the same every time, whenever it is loaded', () => {
  expect(fingerprint(NOW)).toBe(fingerprint(NOW + 1_234 * HOUR))
})

test('seeds differ, and the numbers spread evenly', () => {
  expect(seededRandom('a').hex(32)).not.toBe(seededRandom('b').hex(32))
  const random = seededRandom('spread')
  const counts = Array.from({ length: 10 }, () => 0)
  for (let draw = 0; draw < 100_000; draw++) counts[random.whole(0, 9)]!++
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
  const normal = Array.from({ length: 20_000 }, () => random.normal())
  expect(Math.abs(normal.reduce((sum, value) => sum + value, 0) / normal.length)).toBeLessThan(0.03)
  expect(normal.filter((value) => Math.abs(value) < 1).length / normal.length).toBeCloseTo(0.683, 1)
})

test('quests have ids of GC and eight alphanumerics, all different, and titles that are not repeated in a space', () => {
  const quests = [...questRecords(NOW)]
  for (const { id } of quests) expect(id).toMatch(/^GC[A-Za-z0-9]{8}$/)
  expect(new Set(quests.map((quest) => quest.id)).size).toBe(quests.length)
  expect(new Set(quests.map((quest) => `${quest.spaceId} ${quest.name}`)).size).toBe(quests.length)
})

test('the credential with an id beyond 2^53 keeps all its digits', () => {
  const ids = [...credentialRecords(NOW)].map((credential) => credential.id)
  const long = ids.filter((id) => BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER))
  expect(long).toEqual(['293847562910384756'])
})
