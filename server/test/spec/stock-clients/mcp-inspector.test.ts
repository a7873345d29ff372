import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE } from '../../../src/clock.ts'
import { tools } from '../../../src/mcp/tools.ts'
import { startWorld, type World } from '../../support/fixture.ts'
import { inspector, inspectorFailure, installInspector } from './mcp-inspector/install.ts'

const failure = await inspectorFailure()
if (failure !== undefined) process.stderr.write(`The MCP Inspector does not check the server: ${failure}.\n`)

interface Run {
  status: number
  out: string
  problems: string
}

describe.skipIf(failure !== undefined)('the MCP Inspector (skipped without the npm registry)', () => {
  let world: World
  let home: string
  beforeAll(async () => {
    await installInspector()
    home = await mkdtemp(join(tmpdir(), 'questboard-inspector-'))
    world = await startWorld()
  }, 10 * MINUTE)
  afterAll(async () => {
    await world.stop()
    await rm(home, { recursive: true, force: true })
  })

  /** Runs the inspector without a window, with the token of a header. */
  const inspect = (words: string[], token = world.personas.business): Promise<Run> => {
    const server = ['--cli', `${world.url}/mcp`, '--transport', 'http', '--header', `access-token: ${token}`]
    return new Promise((resolve) => {
      execFile(process.execPath, [inspector, ...server, ...words], { env: { HOME: home } }, (error, out, problems) =>
        resolve({ status: error === null ? 0 : Number(error.code), out, problems }),
      )
    })
  }

  test('finds no problem in the schemas of the tools', async () => {
    const { status, out, problems } = await inspect(['--method', 'tools/list', '--strict'])
    expect([status, problems]).toEqual([0, ''])
    expect((JSON.parse(out) as { tools: unknown[] }).tools).toHaveLength(tools.length)
  })

  test('calls a tool', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'get_space', '--tool-arg', 'spaceId=40']
    const { status, out } = await inspect(call)
    expect(status, out).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ structuredContent: { space: { id: '40' } } })
  })

  test('shows the error of a call', async () => {
    const { status, out, problems } = await inspect([
      '--method',
      'tools/call',
      '--tool-name',
      'get_space',
      '--tool-arg',
      'spaceId=987654321',
    ])
    expect([status, out + problems]).toEqual([5, expect.stringContaining('Space not found')])
  })

  test('finds the sign-in if a token is wrong', async () => {
    const { status, problems } = await inspect(['--method', 'tools/list'], 'wrong')
    expect(status).not.toBe(0)
    expect(JSON.parse(problems)).toMatchObject({ error: { code: 'auth_required' } })
  })
})
