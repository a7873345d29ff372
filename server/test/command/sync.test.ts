import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { syncCommand } from '../../src/command/sync.ts'
import { loadConfig } from '../../src/config.ts'
import { address } from '../support/evm-node.ts'
import { sourceKinds } from '../../src/sync/source.ts'
import { startUpstream } from '../support/upstream.ts'
import { syncFixture } from '../sync/arrange.ts'

let list: unknown = [address(1), address(2)]
const upstream = await startUpstream((_, response) => void response.end(JSON.stringify(list)))
const fixture = await syncFixture(upstream)
const folder = await mkdtemp(join(tmpdir(), 'questboard-sync-'))
const file = join(folder, 'source.json')
const printed: string[] = []
const hints: string[] = []

/** Runs the command and returns its output. */
async function questboard(...args: string[]): Promise<string> {
  printed.length = 0
  const command = syncCommand((work) => work({ ...fixture.deps, config: loadConfig({}) }))
  await command.parseAsync(args, { from: 'user' })
  return printed.join('\n')
}

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  vi.spyOn(console, 'error').mockImplementation((line: string) => void hints.push(line))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await Promise.all([fixture.close(), upstream.close()])
})

test('sets a source, runs it, shows why a run is held, confirms it and removes the source', async () => {
  const id = await fixture.credential()
  expect(await questboard('list')).toMatch('No credential has a source')
  const key = { authorization: 'Bearer secret-key' }
  await writeFile(file, JSON.stringify({ kind: 'REST', url: `${upstream.url}/h?key=secret-key`, headers: key }))
  expect(await questboard('set', id, '--file', file)).toMatch('come from its REST source')
  expect(hints).toContainEqual(expect.stringMatching(new RegExp(`questboard( --)? sync run ${id}`)))
  expect(await questboard('run', id)).toMatch(/^2 holders \(2 new, 0 gone\) from 2 entries in/)
  list = []
  await expect(questboard('run', id)).rejects.toThrow('2 of the current 2 are not among them')
  const shown = await questboard('list')
  expect(shown).toContain(`REST ${upstream.host}, 2 holders, SYNCING; held`)
  expect(shown).toContain('1 failed: the source has 0 holders')
  expect(shown).toMatch(new RegExp(`questboard( --)? sync run ${id} --confirm`))
  expect(shown).not.toContain('secret-key')
  expect(await questboard('run', id, '--confirm')).toMatch(/^0 holders \(0 new, 2 gone\)/)
  expect(await questboard('remove', id)).toMatch('its 0 holders stay')
  expect(await questboard('remove', id)).toMatch('has no source; nothing was changed')
  await expect(questboard('remove', '404')).rejects.toThrow('Credential 404 does not exist')
  await expect(questboard('run', id)).rejects.toThrow('has no source')
  const { rows } = await fixture.deps.database.pool.query<{ event: string; details: object }>(
    `SELECT event, details FROM security_events WHERE details ->> 'credential' = $1 
     ORDER BY event, details ? 'confirmed'`,
    [id],
  )
  expect(rows).toEqual([
    { event: 'sync.source-removed', details: { credential: id, by: 'command' } },
    { event: 'sync.source-set', details: { credential: id, kind: 'REST', by: 'command' } },
    { event: 'sync.started', details: { credential: id, by: 'command' } },
    { event: 'sync.started', details: { credential: id, by: 'command' } },
    { event: 'sync.started', details: { credential: id, confirmed: 'true', by: 'command' } },
  ])
})

test('rejects invalid JSON and invalid sources with the field and the allowed values', async () => {
  const id = await fixture.credential()
  await writeFile(file, '{')
  await expect(questboard('set', id, '--file', file)).rejects.toThrow('is not JSON')
  await expect(questboard('set', id, '--file', join(folder, 'none'))).rejects.toThrow(
    `--file: the file ${join(folder, 'none')} does not exist.`,
  )
  await expect(questboard('set', id, '--file', folder)).rejects.toThrow('is a folder; name a file')
  const invalid: [object, string][] = [
    [{}, `kind: must be one of ${sourceKinds.join(', ')}`],
    [{ kind: 'DISCORD_MEMBER', guildId: '1' }, 'guildId: must be an id of Discord'],
    [{ kind: 'REST' }, 'url: is missing; it must be a text'],
    [{ kind: 'REST', url: 1 }, 'url: must be a text'],
    [{ kind: 'REST', url: 'https://a.example/', every: 60 }, 'source: has no setting "every"'],
    [{ kind: 'REST', url: 'https://a.example/', everySeconds: 5 }, 'everySeconds: must be at least 60'],
    [{ kind: 'REST', url: 'https://a.example/', everySeconds: 61.5 }, 'everySeconds: must be a whole number'],
    [{ kind: 'REST', url: 'https://a.example/', mostRemoved: 2 }, 'mostRemoved: must be at most 1'],
    [{ kind: 'REST', url: 'https://a.example/', invalid: 'no' }, 'invalid: must be one of refuse, skip'],
    [{ kind: 'CSV', url: 'https://a.example/', delimiter: '' }, 'delimiter: must be at least 1 character'],
    [{ kind: 'CSV', url: 'https://a.example/', headers: { a: 1 } }, 'headers.a: must be a text'],
  ]
  for (const [source, message] of invalid) {
    await writeFile(file, JSON.stringify(source))
    await expect(questboard('set', id, '--file', file), JSON.stringify(source)).rejects.toThrow(message)
  }
  await writeFile(file, '[]')
  await expect(questboard('set', id, '--file', file)).rejects.toThrow('source: must be an object')
  await writeFile(file, '{"kind":"REST","url":"nowhere"}')
  await expect(questboard('set', id, '--file', file)).rejects.toThrow('url: must be an absolute http or https URL')
})

test('refuses to encrypt a source if a running service has another secret', async () => {
  const id = await fixture.credential()
  await writeFile(file, JSON.stringify({ kind: 'REST', url: `${upstream.url}/h` }))
  const service = new Client({ ...fixture.deps.database.connection, application_name: 'questboard sealing 00000000' })
  await service.connect()
  await expect(questboard('set', id, '--file', file)).rejects.toThrow(
    /^Nothing was changed: a running process of the service has another secret/,
  )
  await service.end()
  expect(await questboard('list')).not.toMatch(new RegExp(`^${id} `, 'm'))
})
