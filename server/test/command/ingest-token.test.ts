import { afterAll, beforeAll, expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startService, type TestService } from '../support/service.ts'
import { send, statuses } from '../ingest-api/arrange.ts'
import { questboard, urlOf } from './questboard.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
const run = (...args: string[]) => questboard(args, { DATABASE_URL: urlOf(service.database.connection) })

test('creates a token for two spaces, lists it without its value, regenerates and revokes it', async () => {
  const made = await run('ingest-token', 'create', '--name', 'shop', '--spaces', '40,41')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^qbi_[0-9A-Za-z]{49}\n$/) as string })
  const first = made.stdout.trim()
  const space = [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 42, name: 'No' },
  ]
  expect(statuses(await send(service, 'spaces', space, { token: first }))).toEqual(['applied', 'refused'])
  const listed = await run('ingest-token', 'list')
  expect(listed.stdout).toMatch(
    /^[0-9a-f-]{36} {2}shop\n {4}spaces: 40,41; starboards: none; credentials: none; does not expire;\s+last used/,
  )
  const id = listed.stdout.slice(0, 36)
  const second = (await run('ingest-token', 'regenerate', id)).stdout.trim()
  expect((await send(service, 'spaces', space, { token: first })).status).toBe(401)
  expect((await send(service, 'spaces', space, { token: second })).status).toBe(200)
  expect((await run('ingest-token', 'revoke', id)).code).toBe(0)
  expect(await run('ingest-token', 'revoke', id)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Already revoked/) as string,
  })
  expect((await send(service, 'spaces', space, { token: second })).status).toBe(401)
})

test('rejects a token without any scope and names the options', async () => {
  const { code, stderr } = await run('ingest-token', 'create', '--name', 'shop')
  expect([code, stderr]).toEqual([1, expect.stringContaining('List spaces')])
  const both = await run('ingest-token', 'create', '--name', 'shop', '--all', '--spaces', '40')
  expect([both.code, both.stdout, both.stderr]).toEqual([1, '', expect.stringContaining("'--spaces <ids>'")])
})

test('ranks all starboards or one with `refresh`', async () => {
  await importRecords(service.deps, 'starboards', [
    { id: 'a', name: 'A', type: 'TWITTER' },
    { id: 'b', name: 'B', type: 'TWITTER' },
  ])
  await importRecords(service.deps, 'samples', [{ starboardId: 'b', handle: 'x', sampledAt: 1_700_000_000, score: 1 }])
  const all = await run('refresh')
  expect(all.stdout).toMatch(/^a: no user is ranked yet.*\nb: version 1 published, 1 user /)
  expect((await run('refresh', '--starboard', 'b')).stdout).toMatch(/^b: unchanged, version 1, 1 user /)
  expect(await run('refresh', '--starboard', 'c')).toMatchObject({ code: 1, stderr: 'Starboard not found\n' })
})
