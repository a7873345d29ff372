import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { close, freePort, urlOf } from './listening.ts'

const examples = join(import.meta.dirname, '../../../examples')

test('each example app has fewer than 150 lines and a line in the README', async () => {
  const readme = await readFile(join(examples, 'README.md'), 'utf8')
  const entries = await readdir(examples, { withFileTypes: true })
  const apps = entries.filter((one) => one.isDirectory() && one.name !== 'node_modules').map(({ name }) => name)
  expect(apps.length).toBeGreaterThan(4)
  for (const app of apps) {
    const files = await readdir(join(examples, app), { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'utf8')),
    )
    const lines = texts.reduce((sum, each) => sum + each.split('\n').length - 1, 0)
    expect(lines, app).toBeLessThan(150)
    expect(readme).toContain(`](${app})`)
  }
})

const client = { CLIENT_ID: 'an-id', CLIENT_SECRET: 'qbx_a-secret' }
const apps: [string, number, Record<string, string>][] = [
  ['sign-in-express/app.ts', 200, client],
  ['credential-gate/app.ts', 200, { QUESTBOARD_TOKEN: 'qbs_a-token', ...client }],
  ['webhook-receiver/server.ts', 405, { WEBHOOK_SECRETS: 'whsec_c2VjcmV0' }],
]
const { PATH, NODE_COMPILE_CACHE } = process.env
const startApp = (file: string, settings: Record<string, string>) =>
  spawn(process.execPath, [join(examples, file)], { env: { PATH, NODE_COMPILE_CACHE, ...settings } })

test.each(apps)(
  'node examples/%s starts with the command of the README, also with the PORT of the service in the environment',
  async (file, status, settings) => {
    const readme = await readFile(join(examples, 'README.md'), 'utf8')
    expect(readme).toContain(`node examples/${file}`)
    for (const name of Object.keys(settings)) expect(readme).toMatch(new RegExp(`${name}=.*examples/${file}`))
    const port = await freePort()
    const app = startApp(file, { ...settings, PORT: '4000', EXAMPLE_PORT: String(port) })
    const [printed] = (await once(app.stdout, 'data')) as [Buffer]
    expect(printed.toString()).toBe(`http://localhost:${port}\n`)
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(status)
    app.kill()
    await once(app, 'exit')
  },
)

/** The output of a process that ends immediately. */
async function refusal(file: string, settings: Record<string, string>): Promise<string> {
  const app = startApp(file, settings)
  const [said, [code]] = await Promise.all([text(app.stderr), once(app, 'exit') as Promise<[number]>])
  expect(code).toBe(1)
  return said
}

test.each(apps)('node examples/%s first names a missing variable', async (file, _status, settings) => {
  const said = await refusal(file, {})
  const names = Object.keys(settings)
  expect(
    said
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(names)
  for (const name of names) expect(said).toContain(`${name} is not set. It is `)
})

test('an example names EXAMPLE_PORT if its port is invalid or in use', async () => {
  const [file, , settings] = apps[0] as (typeof apps)[0]
  const other = createServer().listen(0)
  const taken = new URL(await urlOf(other)).port
  expect(await refusal(file, { ...settings, EXAMPLE_PORT: taken })).toMatch(/EADDRINUSE.* Set EXAMPLE_PORT/)
  await close(other)
  expect(await refusal(file, { ...settings, EXAMPLE_PORT: 'many' })).toMatch(/^EXAMPLE_PORT must be .* 1 to 65535\.\n$/)
})
