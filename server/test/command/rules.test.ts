import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { questboard, urlOf } from './questboard.ts'

let database: TestDatabase
const folder = mkdtempSync(join(tmpdir(), 'questboard-rules-'))
beforeAll(async () => {
  database = await createTestDatabase()
  await importRecords({ database, clock: systemClock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})
const run = (...args: string[]) => questboard(args, { DATABASE_URL: urlOf(database.connection) })
const fileOf = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const rule = { id: 'claims', kind: 'claim', description: 'For a claim', points: 5 }
const valid = JSON.stringify({ rules: [rule] })

describe('questboard rules', () => {
  it('names every invalid field of a file', async () => {
    const wrong = { ...rule, points: 0, bogus: 1, cap: { points: 1, per: 'year' } }
    const { code, stderr } = await run('rules', 'set', '40', fileOf('wrong.json', JSON.stringify({ rules: [wrong] })))
    expect(code).toBe(1)
    expect(stderr).toContain('rules.0.points must be a whole number from 1 to 1000000')
    expect(stderr).toContain('rules.0.bogus is not a known field')
    expect(stderr).toContain('rules.0.cap.per must be one of day, week, month, ever')
  })

  it.each([
    ['a missing file', () => join(folder, 'none.json'), /the file .*none\.json does not exist/],
    ['a folder', () => folder, /is a folder; name a file/],
    ['no JSON', () => fileOf('bad.json', '{'), /bad\.json is not JSON/],
    ['a list', () => fileOf('list.json', '[]'), /list\.json must contain an object with the key "rules"/],
  ])('rejects %s by its name, without a stack trace', async (_, path, message) => {
    const { code, stderr } = await run('rules', 'dry-run', '40', path())
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('reports that a replay has happened, and with which version', async () => {
    const { code, stdout, stderr } = await run('rules', 'replay', '40', fileOf('rules.json', valid), '--yes')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('Members whose points differ: 0.')
    expect(stdout).toContain('Space 40 was replayed with version 1.')
  })
})
