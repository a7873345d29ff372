import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld } from '../../support/fixture.ts'
import { fromPage, PAGE, publishableToken } from '../../support/pages.ts'

const guide = await readFile(join(import.meta.dirname, '../../../../docs/guides/browser.md'), 'utf8')
const world = await startWorld()
let token: string
beforeAll(async () => {
  ;({ token } = await publishableToken(world.deps))
})
afterAll(() => world.stop())

/** The example of a language, with a real token at the service of the test. */
function example(language: string, start = ''): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n(${start}[\\s\\S]*?)\`\`\``).exec(guide) ?? []
  return text.trim().replace('qbp_…', token).replace('https://questboard.example.com', world.url)
}

test('the script of the guide reads a board, and its result has the shape of the example', async () => {
  const asPage = (url: string, init: RequestInit) =>
    fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), origin: PAGE } })
  const module = `export default async (fetch) => { ${example('js')}; return result }`
  const { default: script } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
    default: (send: typeof asPage) => Promise<{ data: { space: { loyaltyPointsRanks: { list: unknown[] } } } }>
  }
  const result = await script(asPage)
  expect(result.data.space.loyaltyPointsRanks.list[0]).toEqual({ rank: 1, points: 100_000 })
  const shapeOf = (value: unknown) => JSON.stringify(value).replaceAll(/\d+/g, '0')
  expect(shapeOf(result)).toBe(shapeOf(JSON.parse(example('json'))))
})

test('the request of the guide returns a response for caches with the headers of the example', async () => {
  const command = example('sh', 'curl')
  const parameters = [...command.matchAll(/--data-urlencode '(\w+)=(.*?)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const answer = await fromPage(world.url, `/query?${new URLSearchParams(parameters)}`)
  expect(answer.data).toEqual({ space: { name: 'Aurora Guild' } })
  const [status, ...lines] = example('text', 'HTTP').split('\n')
  // The service is behind nginx with HTTP/2 there.
  expect(status).toBe(`HTTP/2 ${answer.status}`)
  const headers = lines.filter((line) => line.includes(': ')).map((line) => line.split(': ') as [string, string])
  expect(headers.map(([name]) => name)).toContain('cache-control')
  for (const [name, value] of headers)
    expect(
      answer.headers
        .get(name)
        ?.replace(/"[\w+/=-]+"$/, '"…"')
        .replace(/^.*;r=.*$/, '…'),
      name,
    ).toBe(value.replace('https://www.example.com', PAGE))
})
