import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HOUR } from '../../../src/clock.ts'
import { describeSettings, loadConfig } from '../../../src/config.ts'
import { isWellFormedToken } from '../../../src/secrets/token-format.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { parseSource } from '../../../src/sync/source.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'
import { startService, type TestService } from '../../support/service.ts'
import { blocksOf, commandLines, pages, root } from './blocks.ts'
import { commands, patternOf, runCommand, wordsOf } from './run-command.ts'

const examples = join(root, 'docs/examples/import')

let service: TestService
let lists: Server
let folder: string
let sourceFile: string
let rulesFile: string
beforeAll(async () => {
  lists = createServer((_, response) => response.end(`wallet\n0x${'ab'.repeat(20)}\n`)).listen(0, '127.0.0.1')
  await once(lists, 'listening')
  const { port } = lists.address() as AddressInfo
  service = await startService({
    settings: {
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_OUTGOING_HOSTS: `127.0.0.1:${port}`,
      QUESTBOARD_WEBHOOK_HOSTS: 'localhost:3000',
    },
  })
  await importRecords(service.deps, 'spaces', [
    { spaceId: 40, name: 'Garden' },
    { spaceId: 41, name: 'Orchard' },
    { spaceId: 9001, name: 'Garden' },
  ])
  await importRecords(service.deps, 'awards', [{ key: 'order-1001', spaceId: 40, address: 'ann', points: 1 }])
  // The address of docs/personal-data.md.
  const erased = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
  await importRecords(service.deps, 'points', [{ spaceId: 9001, address: erased, points: 5, username: 'erased' }])
  await claimQuest()
  await questboard(['keys', 'rotate-signing-key'])
  await importRecords(service.deps, 'starboards', [{ id: 'gardeners', name: 'Gardeners', type: 'TWITTER' }])
  for (const username of ['ann', 'ben'])
    await importRecords(service.deps, 'users', [{ starboardId: 'gardeners', username }])
  const sampled = { starboardId: 'gardeners', sampledAt: new Date(service.deps.clock.now() - HOUR).toISOString() }
  await importRecords(service.deps, 'samples', [
    { ...sampled, handle: 'ann', score: 3 },
    { ...sampled, handle: 'ben', score: 2 },
  ])
  await importRecords(service.deps, 'credentials', [
    { id: '101', name: 'From a list', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
  for (const name of ['spaces.csv', 'credentials.ndjson']) await questboard(['import', join(examples, name)])
  folder = mkdtempSync(join(tmpdir(), 'questboard-commands-'))
  sourceFile = join(folder, 'source.json')
  rulesFile = join(folder, 'rules.json')
  writeFileSync(rulesFile, blocksOf('docs/rules.md').find(({ language }) => language === 'json')?.text ?? '')
  writeFileSync(sourceFile, JSON.stringify({ kind: 'CSV', url: `http://127.0.0.1:${port}/list.csv`, column: 'wallet' }))
})

/** A claim that the rules of docs/rules.md count. */
async function claimQuest(): Promise<void> {
  const quest = {
    id: 'GCfirst',
    spaceId: 40,
    name: 'First',
    type: 'Points',
    status: 'Active',
    loyaltyPoints: 5,
  } as const
  await importRecords(service.deps, 'quests', [quest])
  const claim = { key: 'first', address: '0x8617e340b3d01fa5f11f306f4090fd50e238070d' }
  const sent = { token: await ingestToken(service) }
  expect(await send(service, `quests/${quest.id}/completions`, [claim], sent)).toMatchObject({ status: 200 })
}
afterAll(async () => {
  lists.close()
  await service.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a command for a user at a terminal, who answers yes. */
async function atTerminal<T>(run: () => Promise<T>): Promise<T> {
  const terminal = Object.assign(new PassThrough(), { isTTY: true })
  terminal.write('yes\n')
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(terminal as unknown as typeof process.stdin)
  try {
    return await run()
  } finally {
    vi.restoreAllMocks()
  }
}

const questboard = (words: readonly string[]) => runCommand(service.deps, words)

/** Values of placeholders, taken from the output of earlier commands. */
const known = new Map<string, string>()
function filledIn(word: string): string {
  if (word === 'source.json') return sourceFile
  if (word === 'rules.json') return rulesFile
  if (word.startsWith('docs/examples/')) return join(root, word)
  return known.get(word) ?? word
}

async function accountCalled(name: string): Promise<string> {
  const [row] = await service.database.query<{ id: string }>('SELECT account_id AS id FROM accounts WHERE name = $1', [
    name,
  ])
  return row?.id ?? ''
}

function remember(line: string, printed: string): void {
  const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(printed)?.[0] ?? ''
  if (line.startsWith('token create')) known.set('ID_OF_THE_TOKEN', uuid)
  if (line.startsWith('ban create')) known.set('BAN_ID', uuid)
  if (line.startsWith('snapshot create')) known.set('SNAPSHOT_ID', uuid)
  if (line.startsWith('account list')) known.set('ACCOUNT_ID', /^(\S+) {2}default$/m.exec(printed)?.[1] ?? uuid)
  if (line.startsWith('webhook create')) known.set('ID_OF_THE_WEBHOOK', uuid)
  if (line.startsWith('app apply')) known.set('CLIENT_ID', printed.split(' ')[0] ?? '')
}

/** These commands need another service or other files; other tests run them. */
const elsewhere: Record<string, string> = {
  mirror: 'server/test/command/mirror.test.ts',
  doctor: 'server/test/command/doctor.test.ts',
  apply: 'server/test/spec/manual/programme-in-git.test.ts',
  export: 'server/test/spec/manual/programme-in-git.test.ts',
}

/** Matches a paragraph between commands and their output. */
const BEFORE_OUTPUT = /\bprints?\b[^\n]*:\s*$/

const others = pages.filter((file) => file !== 'docs/cli.md') // cli-page.test.ts

test.each(others.map((file) => [file] as const))('the commands of %s print what the page shows', async (file) => {
  let printedBefore = ''
  for (const block of blocksOf(file)) {
    if (block.language === 'sh' || block.language === '') printedBefore = await runCommands(file, block.text)
    else if (block.language === 'text' && printedBefore !== '' && BEFORE_OUTPUT.test(block.introduction)) {
      const printed = printedBefore.split('\n')
      for (const line of block.text.trimEnd().split('\n'))
        expect(printed, `${file}:${block.line}`).toContainEqual(expect.stringMatching(patternOf(line)))
    }
  }
})

/** Runs the commands of a block. Returns what they printed. */
async function runCommands(file: string, text: string): Promise<string> {
  const lines = commandLines(text).flatMap(
    (line) => /^(?:QUESTBOARD_WEBHOOK_HOSTS=localhost:3000 )?(?:bin\/)?questboard (.*)$/.exec(line)?.[1] ?? [],
  )
  const printedByAll: string[] = []
  for (const line of lines) {
    const [command = ''] = line.split(' ')
    // The line of the synopsis, and two runs of a file that does not exist, shown for their errors.
    if (command in elsewhere || line.includes('[') || line === 'import points.csv') continue
    // The other accounts own apps by now.
    const asks = line.startsWith('person erase')
    if (asks) await questboard(['token', 'create', '--name', 'any', '--account', 'mira'])
    if (asks) known.set('ACCOUNT_ID', await accountCalled('mira'))
    if (line.startsWith('operator withdraw')) await questboard(['operator', 'grant', known.get('ACCOUNT_ID') ?? ''])
    const words = line.startsWith('rules replay') ? `${line} --yes` : line
    const run = () => questboard(wordsOf(words).map(filledIn))
    const printed = await (asks ? atTerminal(run) : run()).catch((error: unknown) => {
      throw new Error(`${file}: questboard ${line}`, { cause: error })
    })
    remember(line, printed)
    printedByAll.push(printed)
  }
  return printedByAll.join('\n')
}

test.each(pages.filter((file) => !file.startsWith('docs/decisions/')))(
  '%s names each command as a user of a checkout can type it',
  (file) => {
    const markdown = readFileSync(join(root, file), 'utf8')
    const names = commands.map((create) => create(() => Promise.reject(new Error('not run'))).name()).join('|')
    expect(markdown.match(new RegExp(`(?:^|\`)questboard (?:${names}) .*`, 'gm')) ?? []).toEqual([])
  },
)

test('erase asks for confirmation, requires --yes without a terminal, and logs no address', async () => {
  await expect(questboard(['person', 'erase', '--address', 'gone@example.com'])).rejects.toThrow('Use --yes')
  const log = () => questboard(['audit', '--first', '100'])
  const erased = async () => (await log()).match(/  person\.address-erased  [0-]{36}\n.*boards=0/g)?.length ?? 0
  const before = await erased()
  await questboard(['person', 'erase', '--address', 'gone@example.com', '--yes'])
  expect(await erased()).toBe(before + 1)
  expect(await log()).not.toContain('gone@')
})

test('the sources of docs/sync.md are valid', () => {
  const sources = blocksOf('docs/sync.md').filter(({ language }) => language === 'json')
  expect(sources.length).toBeGreaterThan(4)
  for (const { text } of sources) expect(parseSource(JSON.parse(text))).toHaveProperty('kind')
})

test('the settings of the pages exist and have valid values', () => {
  const names = new Set(describeSettings().map(({ name }) => name))
  for (const { file, text, language } of pages.flatMap(blocksOf)) {
    if (language !== 'sh') continue
    for (const line of commandLines(text)) {
      const settings = Object.fromEntries(
        [
          ...line.matchAll(/(?:^|(?<= ))((?:QUESTBOARD_[A-Z_]+|OTEL_[A-Z_]+|DATABASE_[A-Z_]+|NODE_ENV|PORT))=(\S+)/g),
        ].map(([, name = '', value = '']) => [name, value] as const),
      )
      delete settings.QUESTBOARD_TOKEN
      delete settings.QUESTBOARD_URL
      for (const name of Object.keys(settings)) expect(names, `${file}: ${line}`).toContain(name)
      expect(() => loadConfig(settings), `${file}: ${line}`).not.toThrow()
    }
  }
})

test('the token of docs/quick-start.md has the prefix of tokens', async () => {
  expect(blocksOf('docs/quick-start.md').some(({ text }) => text.includes('QUESTBOARD_TOKEN=qbs_…'))).toBe(true)
  const printed = await questboard(['token', 'create', '--name', 'shape'])
  expect(isWellFormedToken('qbs', /qbs_\S+/.exec(printed)?.[0] ?? '')).toBe(true)
})

test('docs/settings.md shows the format of the doctor', () => {
  const [shown] = blocksOf('docs/settings.md').filter(({ text }) => text.startsWith('ok '))
  const lines = (shown?.text ?? '').trimEnd().split('\n')
  for (const line of lines) expect(line).toMatch(/^((ok|off|note|problem) {2,}\S.* {2,}\S|\s+→ \S)/)
})

test('docs/settings.md shows settings as `questboard config` prints them', () => {
  const [shown] = blocksOf('docs/settings.md').filter(({ text }) => text.startsWith('PORT=4100  '))
  const known = new Map(describeSettings().map(({ name, description }) => [name, description]))
  const settings = [...(shown?.text ?? '').matchAll(/^(\w+)=.* {2}\(.+\)\n {4}(.+)$/gm)]
  expect(settings.length).toBe(2)
  for (const [, name = '', description] of settings) expect(known.get(name)).toBe(description)
})
