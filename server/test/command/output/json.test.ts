import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { programWith } from '../../../src/command/commands.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { urlOf } from '../questboard.ts'

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const CREDENTIAL = '101'
const RULES = { rules: [{ id: 'invited', kind: 'referral', description: 'A friend joined', points: 20 }] }

/** The last words of commands that change something. */
const CHANGES = new Set([
  ...['import', 'apply', 'create', 'set', 'update', 'give-space', 'replay', 'refresh', 'mirror', 'run', 'test'],
  ...['delete', 'remove', 'reverse', 'revoke', 'erase', 'lift', 'suspend', 'resume', 'grant', 'withdraw', 'invite'],
  ...['regenerate', 'rotate', 'secret', 'rotate-signing-key', 'new-secret', 'reseal', 'approve', 'refuse'],
  ...['accept-changes', 'refuse-changes', 'redeliver', 'migrate', 'distribute'],
])

let database: TestDatabase
let folder: string
const ids = { account: '', token: '', webhook: '', message: '', snapshot: '' }

/** Commands that show something, with their arguments. */
const SHOWS: [command: string, args?: () => string[]][] = [
  ['export', () => ['--all']],
  ['space list'],
  ['space show', () => ['40']],
  ['sprint list'],
  ['sprint show', () => ['40-1']],
  ['starboard list'],
  ['starboard show', () => ['voices']],
  ['credential list'],
  ['credential show', () => [CREDENTIAL]],
  ['quest list'],
  ['quest show', () => ['GCgarden01']],
  ['ledger verify', () => ['40']],
  ['snapshot list'],
  ['snapshot show', () => [ids.snapshot]],
  ['snapshot proof', () => [ids.snapshot, ADDRESS]],
  ['snapshot statement', () => [ids.snapshot, ADDRESS]],
  ['rules show', () => ['40']],
  ['rules dry-run', () => ['40', join(folder, 'rules.json')]],
  ['ban list'],
  ['token list'],
  ['ingest-token list'],
  ['usage', () => [ids.token]],
  ['account list'],
  ['sync list'],
  ['webhook list'],
  ['webhook deliveries', () => [ids.webhook]],
  ['webhook deliveries', () => [ids.webhook, ids.message]],
  ['app list'],
  ['operator list'],
  ['keys status'],
  ['audit'],
  ['person export', () => ['--account', ids.account]],
  ['person export', () => ['--address', ADDRESS]],
  ['config'],
  ['doctor'],
  ['completion', () => ['bash']],
]

/** Commands that print records, and ignore --json. */
const RECORDS: [command: string, args: () => string[]][] = [
  ['space export', () => ['40']],
  ['sprint export', () => ['40-1']],
  ['starboard export', () => ['voices']],
  ['credential export', () => [CREDENTIAL]],
  ['quest export', () => ['GCgarden01']],
  ['ledger export', () => ['40']],
  ['snapshot download', () => [ids.snapshot]],
]

const leavesOf = (command: Command, path: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((sub) => leavesOf(sub, [...path, sub.name()]))

/** Runs a command with its settings from the environment. @returns its standard output */
async function run(...words: string[]): Promise<string> {
  const program = await programWith('questboard', ({ name }) => name === words[0])
  let printed = ''
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed += `${text}\n`))
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text)
    return true
  })
  try {
    await program.parseAsync(words, { from: 'user' })
  } finally {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
  return printed
}

async function create<Created>(line: string): Promise<Created> {
  return JSON.parse(await run(...line.split(' '), '--json')) as Created
}

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'questboard-json-'))
  vi.stubEnv('DATABASE_URL', urlOf(database.connection))
  vi.stubEnv('QUESTBOARD_DATA_DIR', folder)
  vi.stubEnv('QUESTBOARD_SECRET', 'a secret of at least thirty-two characters')
  const deps = { database, clock: systemClock }
  await importRecords(deps, 'spaces', [{ spaceId: 40, name: 'Garden' }])
  await importRecords(deps, 'sprints', [{ spaceId: 40, sprintId: 1, name: 'Spring' }])
  await importRecords(deps, 'points', [{ spaceId: 40, address: ADDRESS, points: 5 }])
  await importRecords(deps, 'starboards', [{ id: 'voices', name: 'Voices', type: 'TWITTER' }])
  const credential = { id: CREDENTIAL, name: 'Early', credType: 'EVM_ADDRESS', credSource: 'CSV' }
  await importRecords(deps, 'credentials', [credential])
  const quest = { id: 'GCgarden01', spaceId: 40, name: 'Water' }
  await importRecords(deps, 'quests', [{ ...quest, type: 'Drop', status: 'Active' }])
  await writeFile(join(folder, 'rules.json'), JSON.stringify(RULES))
  await writeFile(join(folder, 'source.json'), JSON.stringify({ kind: 'CSV', url: 'https://example.org/a.csv' }))

  ids.token = (await create<{ tokenId: string }>('token create --name any --account mira')).tokenId
  const [owner] = await database.query<{ id: string }>(`SELECT account_id AS id FROM accounts WHERE name = 'mira'`)
  ids.account = owner?.id ?? ''
  const app = `--owner ${ids.account} --name Shop --purpose Rewards --redirect-uri https://shop.example/callback`
  await create(`app apply ${app}`)
  await create(`operator grant ${ids.account}`)
  await create('ingest-token create --name shop --spaces 40')
  await create('ban create --address 0x8617e340b3d01fa5f11f306f4090fd50e238070d --reason spam')
  await create(`rules set 40 ${join(folder, 'rules.json')}`)
  await create(`sync set ${CREDENTIAL} --file ${join(folder, 'source.json')}`)
  const webhook = 'webhook create --url https://example.com/hooks --space 40 --events points.awarded'
  ids.webhook = (await create<{ id: string }>(webhook)).id
  ids.message = (await create<{ message: string }>(`webhook test ${ids.webhook}`)).message
  ids.snapshot = (await create<{ id: string }>('snapshot create --space 40 --yes')).id
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.drop()
  await rm(folder, { recursive: true })
})

describe('--json', () => {
  it('has a case for each command that changes nothing', async () => {
    const leaves = leavesOf(await programWith('questboard', () => true))
    const isChange = (leaf: string) => CHANGES.has(leaf.split(' ').at(-1) ?? '')
    const cases = new Set([...SHOWS, ...RECORDS].map(([command]) => command))
    expect([...cases].toSorted()).toEqual(leaves.filter((leaf) => !isChange(leaf)).toSorted())
    const changes = leaves.filter(isChange).map((leaf) => leaf.split(' ').at(-1))
    expect(new Set(changes)).toEqual(CHANGES)
  })

  it.each(SHOWS)('`%s` prints one document', async (command, args = () => []) => {
    const printed = await run(...command.split(' '), ...args(), '--json')
    const document: unknown = JSON.parse(printed)
    expect(document).toEqual(expect.any(Object))
    expect(document).not.toEqual([])
  })

  it.each(RECORDS)('`%s` prints the same records as without it', async (command, args) => {
    const words = [...command.split(' '), ...args()]
    const printed = await run(...words)
    expect(printed).not.toBe('')
    expect(await run(...words, '--json')).toBe(printed)
  })
})
