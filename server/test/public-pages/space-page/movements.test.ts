import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { startWorld, type World } from '../../support/fixture.ts'

const SPACE = 7310
const DAY = 24 * 60 * 60 * 1000
const numbered = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
/** Is sixth, and was at these ranks some days ago. */
const MOVER = numbered(0xb6)
const RANKS = { 30: 11, 7: 3, 1: 8 }
/** Is last, and was recorded 20 days ago for the first time. */
const LATER = numbered(0xb7)

describe('the movement of ranks on the public page of a space', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Tides' }])
    await importRecords(world.deps, 'points', [
      ...Array.from({ length: 9 }, (_, n) => ({ spaceId: SPACE, address: numbered(n + 1), points: 1_000 - n * 100 })),
      { spaceId: SPACE, address: MOVER, points: 550 },
      { spaceId: SPACE, address: LATER, points: 1 },
    ])
    for (const [address, age, rank] of [
      ...Object.entries(RANKS).map(([days, at]) => [MOVER, Number(days), at] as const),
      [LATER, 20, 4] as const,
    ])
      await world.database.query(
        `INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points)
         VALUES ($1, 0, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date, $4, 1)`,
        [SPACE, address, new Date(world.clock.now() - age * DAY), rank],
      )
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'tides', now())`, [SPACE])
  })
  afterAll(() => world.stop())

  /** The row of a member in the table. */
  async function rowOf(address: string, movement?: string): Promise<string> {
    const path = `/s/tides${movement === undefined ? '' : `?movement=${movement}`}`
    const page = await (await fetch(world.url + path, { headers: { accept: 'text/html' } })).text()
    const rows = page.slice(page.indexOf('<tbody')).split('<tr')
    return rows.find((row) => row.includes(`title="${address}"`))?.replaceAll(/\s+/g, ' ') ?? ''
  }
  const words = (row: string) => row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

  it.each([
    ['24h', '▲2 up 2 places'],
    ['7d', '▼3 down 3 places'],
    ['30d', '▲5 up 5 places'],
    [undefined, '▼3 down 3 places'],
  ])('starts at the first day of the period: %s', async (movement, moved) => {
    expect(words(await rowOf(MOVER, movement))).toMatch(new RegExp(`> 6 ${moved} `))
  })

  it('is missing for a member without a rank in the period', async () => {
    expect(words(await rowOf(LATER, '24h'))).not.toMatch(/[▲▼]/)
    expect(words(await rowOf(LATER, '7d'))).not.toMatch(/[▲▼]/)
    expect(words(await rowOf(LATER, '30d'))).toContain('11 ▼7 down 7 places')
    expect(words(await rowOf(numbered(1), '30d'))).not.toMatch(/[▲▼]/)
  })

  it('is a line of the ranks of 30 days and the current rank, better ranks higher', async () => {
    const line = /<svg viewBox="0 0 80 20".*?aria-label="([^"]+)".*?points="([^"]+)"/
    const [, says, points] = line.exec(await rowOf(MOVER)) ?? []
    expect(says).toBe('Rank 11 to 6, best 3')
    expect(points).toBe('0.0,18.0 26.7,2.0 53.3,12.0 80.0,8.0')
    const [, , falling] = line.exec(await rowOf(LATER)) ?? []
    expect(falling).toBe('0.0,2.0 80.0,18.0')
    expect(await rowOf(numbered(1))).not.toMatch(line)
  })
})
