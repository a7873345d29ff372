import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld } from '../support/fixture.ts'
import { fromPage, PAGE, publishableToken } from '../support/pages.ts'

const guide = await readFile(join(import.meta.dirname, '../../../docs/guides/browser.md'), 'utf8')
const world = await startWorld()
let token: string
beforeAll(async () => {
  ;({ token } = await publishableToken(world.deps))
})
afterAll(() => world.stop())

/** The example of a language, with a real token at the service of the test. */
function example(language: string): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? []
  return text.trim().replace('qbp_…', token).replace('https://questboard.example.com', world.url)
}

test('the script of the guide reads a board', async () => {
  const asPage = (url: string, init: RequestInit) =>
    fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), origin: PAGE } })
  const module = `export default async (fetch) => { ${example('js')}; return response.json() }`
  const { default: script } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
    default: (send: typeof asPage) => Promise<{ data: { space: { loyaltyPointsRanks: { list: unknown[] } } } }>
  }
  const { data } = await script(asPage)
  expect(data.space.loyaltyPointsRanks.list).toHaveLength(50)
  expect(data.space.loyaltyPointsRanks.list[0]).toEqual({ rank: 1, points: 100_000 })
})

test('the address of the guide returns a response for caches', async () => {
  const answer = await fromPage(world.url, encodeURI(example('text')))
  expect(answer.data).toEqual({ space: { name: 'Aurora Guild' } })
  expect(answer.headers.get('cache-control')).toBe('public, max-age=30')
})
