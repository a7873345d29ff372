import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPackedProject, type PackedProject } from './packed.ts'

const run = promisify(execFile)
const BUDGET = 9_500
const LOGOUT_BUDGET = 3_500

let project: PackedProject
let manifest: Record<string, unknown>
beforeAll(async () => {
  project = await createPackedProject()
  manifest = JSON.parse(await readFile(join(project.installed, 'package.json'), 'utf8')) as Record<string, unknown>
})
afterAll(() => project.remove())

/** The size of an app's bundle with this code, in bytes, minified and compressed. */
const bundledSize = async (contents: string) => gzipSync(await bundledText(contents), { level: 9 }).length

async function bundledText(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project.directory },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  return outputFiles[0]!.text
}

test('names its file in the README', async () => {
  const readme = await readFile(join(project.installed, 'README.md'), 'utf8')
  expect(readme).toContain(`npm install ./${basename(project.tarball)}`)
})

test('gives every package of the repository a name in the scope @questboard', async () => {
  const root = join(import.meta.dirname, '../..')
  const manifestOf = async (folder: string) =>
    JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as { name: string; workspaces?: string[] }
  const { name, workspaces = [] } = await manifestOf('.')
  const names = await Promise.all(workspaces.map(async (folder) => (await manifestOf(folder)).name))
  expect([name, ...names].filter((each) => !each.startsWith('@questboard/'))).toEqual([])
})

test('has no dependencies of any kind', () => {
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([])
})

test('imports only its own modules', async () => {
  const modules = (await readdir(project.installed, { recursive: true })).filter((name) => name.endsWith('.js'))
  expect(modules.length).toBeGreaterThan(20)
  for (const name of modules) {
    const text = await readFile(join(project.installed, name), 'utf8')
    expect(text.match(/(?:from|import)\s*\(?["'](?!\.)[^"']*["']/), name).toBeNull()
  }
})

test('passes publint', async () => {
  const tarball = await readFile(project.tarball)
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
})

test('has at most 9.5 kB in total, minified and compressed', async () => {
  expect(await bundledSize(`export * from '@questboard/client'`)).toBeLessThanOrEqual(BUDGET)
})

test('has at most 3.5 kB in the entry for logout tokens, and an app without it pays nothing', async () => {
  const whole = await bundledSize(`export * from '@questboard/client/logout'`)
  expect(whole).toBeLessThanOrEqual(LOGOUT_BUDGET)
  const main = await bundledText(`export * from '@questboard/client'`)
  expect(await bundledText(`export * from '@questboard/client/logout'`)).toContain('openid-configuration')
  expect(main).not.toMatch(/openid-configuration|backchannel|importKey/)
})

test('is tree-shakeable: an app contains only the parts that it uses', async () => {
  const rules = await bundledSize(`import { groupMet } from '@questboard/client'; console.log(groupMet)`)
  expect(rules).toBeLessThan(600)
})

test('works in Node without a build', async () => {
  const script = `import { createQuestboard, OAuthError } from '@questboard/client'
    import * as logout from '@questboard/client/logout'
    console.log(typeof createQuestboard, typeof logout.verifyLogoutToken, logout.OAuthError === OAuthError)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: project.directory,
  })
  expect(stdout.trim()).toBe('function function true')
})

describe('types', () => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

  async function check(file: string, options: string[]): Promise<string> {
    const text = await readFile(join(import.meta.dirname, 'consumer', file), 'utf8')
    await writeFile(join(project.directory, file), text)
    const flags = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', ...options, file]
    const { stdout } = await run(process.execPath, [tsc, ...flags], { cwd: project.directory }).catch(
      (failure: { stdout: string }) => failure,
    )
    return stdout
  }

  test.each([
    ['nodenext', ['--module', 'nodenext']],
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', '--exactOptionalPropertyTypes']],
  ])('of the packed file compile for %s, including those of libraries', async (_, options) => {
    expect(await check('usage.ts', [...options, '--lib', 'es2022,dom'])).toBe('')
  })
})
