import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/access/server-tokens.ts'
import { DEMO_ACCOUNT_ID, loadDemo } from '../../../src/demo/load-demo.ts'
import { DEMO_QUERY, greeting } from '../../../src/process/greeting.ts'
import { ask } from '../../support/ask.ts'
import { signedInBrowser } from '../../support/oauth-flow.ts'
import { withSettingsTable } from '../../../../scripts/settings-table.ts'
import { startService, type TestService } from '../../support/service.ts'

const root = join(import.meta.dirname, '../../../..')
const page = (name: string) => readFile(join(root, name), 'utf8')
const blocks = (markdown: string, language: string) =>
  [...markdown.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string)

interface Ranks {
  days: object[]
  places: number
}

interface Failure {
  errors: { extensions: { request_id: string; timestamp: string } }[]
}

/** The part of a response that a page shows: some keys of objects, and the first elements of arrays. … matches any text. */
function partOf(actual: unknown, shown: unknown): unknown {
  if (shown === '…' && typeof actual === 'string') return shown
  if (typeof shown !== 'object' || shown === null || typeof actual !== 'object' || actual === null) return actual
  const entries = Object.entries(shown).map(([key, value]) => [key, partOf(Reflect.get(actual, key), value)] as const)
  return Array.isArray(shown) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

describe('documentation', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startService()
    await loadDemo(service.deps)
    token = (await createToken(service.deps, { accountId: DEMO_ACCOUNT_ID, name: 'docs', plan: 'unlimited' })).token
  })
  afterAll(() => service.stop())

  test('docs/settings.md lists every setting (else: npm run generate)', async () => {
    const settings = await page('docs/settings.md')
    expect(await withSettingsTable(settings)).toBe(settings)
  })

  test.each([
    ['docs/quick-start.md', 'http://localhost:4000'],
    ['docs/settings.md', 'http://localhost:4100'],
  ])('%s shows the greeting of the service', async (file, url) => {
    const [shown = ''] = blocks(await page(file), 'text')
    expect(greeting(url, 'qbs_…', `${url}/operator-invitation#qbo_…`)).toContain(`\n${shown}\n`)
  })

  test('docs/operations.md shows the response of /readyz', async () => {
    const [, shown] = /readyz\n```\n\nIt prints `([^`]+)`/.exec(await page('docs/operations.md')) ?? []
    expect(await fetch(`${service.url}/readyz`).then((response) => response.text())).toBe(shown)
  })

  test('docs/runbook.md lists transactions with a valid statement', async () => {
    const markdown = await page('docs/runbook.md')
    const [statement = ''] = blocks(markdown, 'sql')
    const rows = await service.database.query(statement)
    expect(rows).toContainEqual(expect.objectContaining({ state: 'active' }))
    const columns = blocks(markdown, 'text')[0]?.split('\n')[0]?.split('|') ?? []
    expect(Object.keys(rows[0] ?? {})).toEqual(columns.map((column) => column.trim()))
  })

  test('the README and docs/quick-start.md show the same first query', async () => {
    for (const file of ['README.md', 'docs/quick-start.md'])
      expect(await page(file), file).toContain(`-d '{"query":"${DEMO_QUERY}"}'`)
  })

  test('the statements of docs/deploy.md find addresses in earlier spellings', async () => {
    const [text = ''] = blocks(await page('docs/deploy.md'), 'sql')
    const [boards = '', participants = '', ...others] = text.trim().split('\n')
    expect(others).toEqual([])
    expect(await service.database.query(boards)).toEqual([])
    const [row] = await service.database.query(
      `INSERT INTO quest_participants (quest_id, address, joined_at) SELECT quest_id, '0xa', now() FROM quests LIMIT 1
       RETURNING quest_id, address`,
    )
    expect(await service.database.query(participants)).toEqual([row])
  })

  test.each([
    ['docs/api.md', 6],
    ['docs/guides/credential-gate.md', 1],
    ['docs/guides/sync-roles.md', 1],
  ])('every query of %s returns data with the demo data', async (file, atLeast) => {
    const queries = blocks(await page(file), 'graphql')
    expect(queries.length).toBeGreaterThanOrEqual(atLeast)
    for (const query of queries) {
      const { status, errors, text } = await ask(service.url, query, { token })
      expect(errors, `${query}\n${text}`).toBeUndefined()
      expect(status).toBe(200)
    }
  })

  test('docs/pages.md has the URL of the rank history, which signed-in users can read', async () => {
    const path = /curl -s 'http:\/\/localhost:4000(\/[^?']*)/.exec(await page('docs/pages.md'))?.[1] ?? ''
    const answer = await fetch(service.url + path)
    expect({ status: answer.status, body: await answer.text() }).toMatchObject({ status: 401 })
    expect((await fetch(`${service.url}${path}s`)).status).toBe(404)
  })

  test('docs/pages.md shows the response of the rank history', async () => {
    const [shown = ''] = blocks(await page('docs/pages.md'), 'json')
    const [best] = await service.database.query<{ address: string }>(
      'SELECT address FROM rank_days WHERE space_id = 40 AND sprint_id = 0 ORDER BY day DESC, rank LIMIT 1',
    )
    const { browser } = await signedInBrowser(service.app)
    const { days, places } = (await browser.get(`/api/explore/spaces/40/ranks?address=${best?.address}`)).json<Ranks>()
    const expected = JSON.parse(shown) as Ranks
    expect(places).toBe(expected.places)
    expect(days.map((day) => Object.keys(day))).toContainEqual(Object.keys(expected.days[0] ?? {}))
  })

  test('docs/api.md shows real responses', async () => {
    const examples = [
      ...(await page('docs/api.md')).matchAll(
        /```graphql\n([^`]*)```\n\nOn the demo data, it returns[^\n]*:\n\n```json\n([^`]*)```/g,
      ),
    ]
    expect(examples.length).toBeGreaterThan(3)
    for (const [, query = '', shown = ''] of examples) {
      const { data } = await ask(service.url, query, { token })
      const expected = JSON.parse(shown) as unknown
      expect(partOf({ data }, expected), query).toEqual(expected)
    }
  })

  test('docs/errors.md shows the response of a failed query', async () => {
    const shown = JSON.parse(blocks(await page('docs/errors.md'), 'json')[0] as string) as Failure
    const { text } = await ask(service.url, '{ quest(id: "none") { name } }', { token })
    const answered = JSON.parse(text) as Failure
    for (const { errors } of [shown, answered])
      for (const { extensions } of errors) {
        expect(extensions.request_id).toMatch(/^[0-9a-f]{32}$/)
        expect(extensions.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        Object.assign(extensions, { request_id: '', timestamp: '' })
      }
    expect(answered).toEqual(shown)
  })

  test.each(['README.md', 'docs/quick-start.md'])('the query of %s returns the response of the page', async (file) => {
    const markdown = await page(file)
    const sent = /-d '(\{.*\})'/.exec(markdown)?.[1] ?? ''
    const shown = JSON.parse(blocks(markdown, 'json')[0] as string) as {
      data: { space: { loyaltyPointsRanks: { totalCount: number } } }
    }
    const { query } = JSON.parse(sent) as { query: string }
    const { data } = await ask<typeof shown.data>(service.url, query, { token })
    expect(data.space.loyaltyPointsRanks.totalCount).toBe(shown.data.space.loyaltyPointsRanks.totalCount)
    expect(Object.keys(data.space)).toEqual(Object.keys(shown.data.space))
  })
})
