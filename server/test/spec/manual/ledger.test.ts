import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { ledgerSources } from '../../../src/ranking/ledger.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'
import { startService, type TestService } from '../../support/service.ts'

const PAGE = 'docs/ledger.md'

let service: TestService
let token: string
let markdown: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
  await importRecords(service.deps, 'spaces', [{ spaceId: 900, name: 'Garden' }])
  markdown = await readFile(join(import.meta.dirname, '../../../..', PAGE), 'utf8')
})
afterAll(() => service.stop())

const blocks = (language: string) =>
  [...markdown.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string)

/** Sends the request of a curl command in the manual. */
async function run(command: string): Promise<{ status: number; body: unknown }> {
  const url = /"\$QUESTBOARD_URL([^"]*)"/.exec(command)?.[1]
  const headers = [...command.matchAll(/-H "([\w-]+): ([^"]*)"/g)].map(([, name, value]): [string, string] => [
    name as string,
    (value as string).replace('$TOKEN', token),
  ])
  const body = /--data-binary '([^']*)'/.exec(command)?.[1]
  const response = await fetch(`${service.url}${url}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body }),
  })
  return { status: response.status, body: await response.json() }
}

/** Ids of tokens differ. */
const comparable = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === 'actor' ? null : value))

test('returns the documented response for every example', async () => {
  const address = '0x52908400098527886e0f7030069857d2e4169ee7'
  await send(service, 'awards', [{ key: 'order-1001', spaceId: 900, address, points: 25, reason: 'Order 1001' }], {
    token,
  })
  const answers = []
  for (const command of blocks('sh').filter((block) => block.startsWith('curl'))) {
    const { status, body } = await run(command)
    expect([command, status]).toEqual([command, 200])
    answers.push(comparable(body))
  }
  expect(answers).toEqual(blocks('json').map((text) => comparable(JSON.parse(text))))
})

test('documents every source', () => {
  for (const source of ledgerSources) expect(markdown).toContain(`\n| \`${source}\` `)
})
