import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OUTPUT } from '../../../../scripts/cli-output.ts'
import { programWith } from '../../../src/command/commands.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { questboard as startedQuestboard, urlOf } from '../../command/questboard.ts'
import { createTestDatabase, isCluster } from '../../support/database.ts'
import { startService, type TestService } from '../../support/service.ts'
import { type Block, blocksOf, commandLines, root } from './blocks.ts'
import { patternOf, runCommand, wordsOf } from './run-command.ts'

/** Pairs of a command of docs/cli.md and the block of its output. */
const examples = pairsOf(blocksOf('docs/cli.md'))

function pairsOf(blocks: readonly Block[]): [command: string, shown: string][] {
  return blocks.flatMap(({ language, text }, i) => {
    const next = blocks[i + 1]
    if (language !== 'sh' || next?.language !== 'text') return []
    return commandLines(text).map((line): [string, string] => [line.replace(/^bin\/questboard /, ''), next.text])
  })
}

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService({ settings: { QUESTBOARD_SECRET: 'a secret of at least thirty-two characters' } })
  folder = await mkdtemp(join(tmpdir(), 'questboard-cli-page-'))
  const rules = join(folder, 'rules.json')
  const invited = { id: 'invited', kind: 'referral', description: 'A friend joined', points: 20 }
  writeFileSync(rules, JSON.stringify({ rules: [invited] }))
  await importRecords(service.deps, 'spaces', [
    { spaceId: 40, name: 'Garden' },
    { spaceId: 41, name: 'Orchard' },
  ])
  await importRecords(service.deps, 'points', [
    { spaceId: 40, address: '0x52908400098527886E0F7030069857D2E4169EE7', points: 1250 },
    { spaceId: 40, address: 'ben', points: 5 },
    { spaceId: 41, address: 'ben', points: 5 },
  ])
  await questboard(`rules set 40 ${rules}`)
  await questboard('operator grant ACCOUNT_ID', new Map([['ACCOUNT_ID', await accountOf('mira')]]))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

function questboard(line: string, placeholders: ReadonlyMap<string, string> = new Map()): Promise<string> {
  const words = wordsOf(line).map((word) => placeholders.get(word) ?? word)
  return runCommand(service.deps, words)
}

const uuidIn = (printed: string): string => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(printed)?.[0] ?? ''

async function accountOf(name: string): Promise<string> {
  await questboard(`token create --name any --account ${name}`)
  const [row] = await service.database.query<{ id: string }>('SELECT account_id AS id FROM accounts WHERE name = $1', [
    name,
  ])
  return row?.id ?? ''
}

const createToken = async (): Promise<string> => uuidIn(await questboard('token create --name "My integration"'))

async function usedToken(): Promise<string> {
  const id = await createToken()
  await service.database.query(
    `INSERT INTO token_usage (token_id, day, operation, status, requests, last_used_at)
     VALUES ($1, $2::timestamptz::date, 'space', 200, 12, now())`,
    [id, new Date(service.deps.clock.now())],
  )
  return id
}

/** Creates what an example of a command names. Returns the values of its placeholders. */
const arrangements: Record<string, () => Promise<Record<string, string>>> = {
  snapshot: async () => ({ SNAPSHOT_ID: uuidIn(await questboard('snapshot create --space 40 --yes')) }),
  token: async () => ({ ID_OF_THE_TOKEN: await createToken() }),
  'ingest-token': async () => ({
    ID_OF_THE_TOKEN: uuidIn(await questboard('ingest-token create --name shop --spaces 40')),
  }),
  usage: async () => ({ ID_OF_THE_TOKEN: await usedToken() }),
  webhook: async () => {
    const create = 'webhook create --url https://example.com/hooks --space 40 --events points.awarded'
    const webhook = uuidIn(await questboard(create))
    const message = (await questboard(`webhook test ${webhook}`)).split('\n').at(-1) ?? ''
    return { ID_OF_THE_WEBHOOK: webhook, ID_OF_THE_MESSAGE: message }
  },
  app: async () => {
    const apply = `app apply --owner ${await accountOf('mira')} --name "My app" --purpose "Members see their rewards"`
    const more = '--redirect-uri https://app.example/callback --scopes Discord,openid'
    return { CLIENT_ID: (await questboard(`${apply} ${more}`)).split(' ')[0] ?? '' }
  },
  operator: async () => ({ ACCOUNT_ID: await accountOf('ben') }),
}

it('docs/cli.md has an example for each command that it does not describe or link', () => {
  const texts = Object.values(OUTPUT).filter((output) => typeof output === 'string' && output.includes('```sh'))
  expect(examples.length).toBe(texts.length)
  expect(examples.length).toBeGreaterThan(15)
})

it.each(examples.filter(([line]) => line !== 'migrate'))('docs/cli.md shows what `%s` prints', async (line, shown) => {
  const [command = ''] = line.split(' ')
  const values = (await arrangements[command]?.()) ?? {}
  const printed = (await questboard(line, new Map(Object.entries(values)))).split('\n')
  for (const expected of shown.trimEnd().split('\n')) {
    const known = expected.replace('CLIENT_ID', values.CLIENT_ID ?? '')
    expect(printed).toContainEqual(expect.stringMatching(patternOf(known)))
  }
})

it.skipIf(isCluster())('docs/cli.md shows what `migrate` prints for a new database', async () => {
  const [, shown = ''] = examples.find(([line]) => line === 'migrate') ?? []
  const database = await createTestDatabase('template0')
  const { code, stdout, stderr } = await startedQuestboard(['migrate'], { DATABASE_URL: urlOf(database.connection) })
  await database.drop()
  expect(code).toBe(0)
  const lines = shown.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(`${stderr}${stdout}`.split('\n')).toContain(line)
})

it('each linked page runs the command', () => {
  for (const [name, output] of Object.entries(OUTPUT)) {
    if (typeof output === 'string') continue
    const page = readFileSync(join(root, 'docs', output.address.replace(/#.*/, '')), 'utf8')
    expect(page, output.address).toMatch(new RegExp(`questboard ${name}\\b`))
  }
})

it('names existing commands', async () => {
  const program = await programWith('questboard', () => true)
  const names = program.commands.flatMap((command) =>
    command.commands.length === 0 ? [command.name()] : command.commands.map((sub) => `${command.name()} ${sub.name()}`),
  )
  expect(Object.keys(OUTPUT).toSorted()).toEqual(names.toSorted())
})
