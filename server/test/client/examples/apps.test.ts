import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { close, urlOf } from './listening.ts'

const examples = join(import.meta.dirname, '../../../../examples')

test('each example app has fewer than 150 lines, and a line in the README', async () => {
  const readme = await readFile(join(examples, 'README.md'), 'utf8')
  const entries = await readdir(examples, { withFileTypes: true })
  const apps = entries.filter((one) => one.isDirectory() && one.name !== 'node_modules').map(({ name }) => name)
  expect(apps.length).toBeGreaterThan(4)
  for (const app of apps) {
    const files = await readdir(join(examples, app), { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'utf8')),
    )
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
    expect(lines, app).toBeLessThan(150)
    expect(readme).toContain(`](${app})`)
  }
})

test.each([
  ['leaderboard-widget/server.ts', 200],
  ['sign-in-express/app.ts', 200],
  ['credential-gate/app.ts', 200],
  ['webhook-receiver/server.ts', 405],
])('node examples/%s starts as the README says, and answers', async (file, status) => {
  const readme = await readFile(join(examples, 'README.md'), 'utf8')
  expect(readme).toContain(`node examples/${file}`)
  const port = await freePort()
  const app = spawn(process.execPath, [join(examples, file)], { env: { ...process.env, PORT: String(port) } })
  const [printed] = (await once(app.stdout, 'data')) as [Buffer]
  expect(printed.toString()).toBe(`http://localhost:${port}\n`)
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(status)
  app.kill()
  await once(app, 'exit')
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  const url = await urlOf(server)
  await close(server)
  return Number(new URL(url).port)
}
