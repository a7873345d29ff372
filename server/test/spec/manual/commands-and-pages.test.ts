import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programWith } from '../../../src/command/commands.ts'
import { startService, type TestService } from '../../support/service.ts'
import { root } from './blocks.ts'
import { addressesIn } from './page-addresses.ts'

interface Row {
  command: string
  page: string
  call: string
  reason: string
}

const HEADINGS = {
  'On the pages and in the API': ['command', 'page', 'call'],
  'In the API only': ['command', 'call', 'reason'],
  'On the machine only': ['command', 'reason'],
} as const

const markdown = readFileSync(join(root, 'docs/commands-and-pages.md'), 'utf8')

function rowsBelow(heading: keyof typeof HEADINGS): Row[] {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`)
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim().replaceAll('`', ''))
    const row: Row = { command: '', page: '', call: '', reason: '' }
    for (const [place, name] of HEADINGS[heading].entries()) row[name] = cells[place + 1] ?? ''
    return row
  })
}

const onPages = rowsBelow('On the pages and in the API')
const inApi = rowsBelow('In the API only')
const onMachine = rowsBelow('On the machine only')

const namesIn = (command: Command, above: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [above.join(' ')]
    : command.commands.flatMap((one) => namesIn(one, [...above, one.name()]))

/** Whether `person export --address` names an option of a command. */
function hasOption(program: Command, text: string): boolean {
  const words = text.split(' ')
  const option = words.pop()
  const command = words.reduce<Command | undefined>(
    (above, word) => above?.commands.find((one) => one.name() === word),
    program,
  )
  return command?.options.some(({ long }) => long === option) ?? false
}

describe('docs/commands-and-pages.md', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ settings: { QUESTBOARD_SECRET: 'a secret of at least thirty-two characters' } })
  })
  afterAll(() => service.stop())

  async function operationsOf(path: string): Promise<string[]> {
    const { paths } = (await (await fetch(service.url + path)).json()) as { paths: Record<string, object> }
    return Object.entries(paths).flatMap(([url, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${url}`),
    )
  }

  it('places every command once', async () => {
    const program = await programWith('questboard', () => true)
    const placed = [...onPages, ...inApi, ...onMachine].map(({ command }) => command)
    const withOption = placed.filter((command) => command.includes(' --'))
    expect(placed.filter((command) => !command.includes(' --')).toSorted()).toEqual(namesIn(program).toSorted())
    expect(withOption.filter((command) => !hasOption(program, command))).toEqual([])
  })

  it('names calls that the OpenAPI documents describe', async () => {
    const described = [...(await operationsOf('/api/openapi.json')), ...(await operationsOf('/ingest/openapi.json'))]
    const calls = [...onPages, ...inApi].map(({ call }) => call)
    expect(calls.filter((call) => !described.includes(call))).toEqual([])
  })

  it('names pages that exist', () => {
    const paths = addressesIn('web/src/navigation/*.ts')
    expect(onPages.filter(({ page }) => !paths.includes(page))).toEqual([])
  })

  it('gives a reason for each command without a page', () => {
    expect([...inApi, ...onMachine].filter(({ reason }) => reason === '')).toEqual([])
  })
})
