import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { tools } from '../../../src/mcp/tools.ts'
import { startWorld } from '../../support/fixture.ts'
import { callTool, connectMcp, sendRpc } from '../../support/mcp.ts'

const PAGE = 'docs/mcp.md'
const markdown = readFileSync(join(import.meta.dirname, '../../../..', PAGE), 'utf8')
const blocks = (language: string) =>
  [...markdown.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text)

const world = await startWorld()
afterAll(() => world.stop())

test('the table has every tool with its arguments', () => {
  const rows = [...markdown.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\| .{20,} \|$/gm)]
  const wanted = tools.map(({ name, inputSchema }) => [name, argumentsOf(inputSchema)])
  expect(rows.map(([, name, list]) => [name, list])).toEqual(wanted)
})

const argumentsOf = ({ shape }: z.ZodObject) =>
  Object.entries(shape)
    .map(([name, type]) => `\`${name}${z.safeParse(type, undefined).success ? '?' : ''}\``)
    .join(', ')

test('the curl command calls a tool', async () => {
  const [command = ''] = blocks('sh').filter((text) => text.startsWith('curl'))
  const headers = [...command.matchAll(/-H (['"])([\w-]+): (.*?)\1/g)].map(([, , name = '', value = '']) => [
    name.toLowerCase(),
    value.replace('$QUESTBOARD_TOKEN', world.personas.business),
  ])
  const { status, body } = await sendRpc(world.url, {
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: /-d '([^']*)'/.exec(command)?.[1] ?? '',
  })
  expect([status, body.result?.structuredContent]).toEqual([
    200,
    { space: expect.objectContaining({ id: '40' }) as object },
  ])
  const [shown = ''] = blocks('text')
  const parts = shown.trim().split('…')
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
  expect(JSON.stringify(body)).toMatch(new RegExp(`^${pattern}$`))
})

test('the settings of clients contain an address and a header that work', async () => {
  const settings = blocks('json').map((text) => JSON.parse(text) as Record<string, Record<string, Setting>>)
  const [cursor, code] = [settings[0]?.mcpServers?.questboard, settings[1]?.servers?.questboard]
  for (const setting of [cursor, code]) {
    expect(setting?.url).toBe('http://localhost:4000/mcp')
    const value = setting?.headers.Authorization?.replace(/qbs_…|\$\{input:questboard\}/, world.personas.business) ?? ''
    const client = await connectMcp(world.url, value.replace(/^Bearer /, ''))
    const { structuredContent } = await callTool(client, 'search_manual', { query: 'model context protocol' })
    expect(structuredContent?.sections).not.toEqual([])
    await client.close()
  }
})

interface Setting {
  url: string
  headers: Record<string, string>
}
