import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchKinds } from '../../../src/ingest-api/batch-kinds.ts'
import { startService, type TestService } from '../../support/service.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'

let service: TestService
let token: string
let markdown: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
  markdown = await readFile(join(import.meta.dirname, '../../../../docs/ingest.md'), 'utf8')
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
  const response = await fetch(`${service.url}${url}`, { method: 'POST', headers, ...(body !== undefined && { body }) })
  return { status: response.status, body: await response.json() }
}

test('returns the documented response for every example', async () => {
  const example = (path: string) => batchKinds.find((kind) => kind.path === path)?.example
  for (const path of ['starboards', 'users', 'samples']) await send(service, path, [example(path)], { token })
  const commands = blocks('sh').filter((text) => text.startsWith('curl'))
  expect(commands).toHaveLength(6)
  const answers = []
  for (const command of commands) {
    if (command.includes('completions'))
      await send(service, 'quests', [{ ...example('quests'), id: 'GCgarden02', credentialGroups: [] }], { token })
    const { status, body } = await run(command)
    expect(status, command).toBe(200)
    answers.push(body)
  }
  const shown = blocks('json').map((text) => JSON.parse(text) as unknown)
  expect(answers[0]).toEqual(shown[0])
  expect(answers[1]).toMatchObject({ summary: { applied: 1, refused: 0 } })
  expect(answers[2]).toEqual(shown[1])
  expect(answers[3]).toEqual(shown[2])
  expect(answers[4]).toEqual(shown[3])
  expect(answers[5]).toEqual({ starboardId: 'gardeners', published: true, version: 1, userCount: 1 })
})

test('documents every route', () => {
  for (const { path } of batchKinds) expect(markdown).toContain(`\`POST /ingest/v1/${path}\``)
})
