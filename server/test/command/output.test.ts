import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { inBlock, MAX_WIDTH } from '../../src/command/columns.ts'
import { commands, programWith } from '../../src/command/commands.ts'
import { completionsOf } from '../../src/command/completion.ts'
import { OutputCommand } from '../../src/command/output.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { questboard, urlOf } from './questboard.ts'

const SRC = join(import.meta.dirname, '../../src')

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
const run = (...args: string[]) => questboard(args, { DATABASE_URL: urlOf(database.connection) })

/** Files that are imported before a command is chosen. */
function loadedAtStart(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const source = ts.createSourceFile(file, readFileSync(join(SRC, file), 'utf8'), ts.ScriptTarget.Latest)
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
      continue
    const { text } = statement.moduleSpecifier as ts.StringLiteral
    if (text.startsWith('.')) loadedAtStart(normalize(join(dirname(file), text)), seen)
    else seen.add(text)
  }
  return seen
}

describe('start', () => {
  it('loads neither commands nor libraries before a command is chosen', () => {
    expect([...loadedAtStart('command/main.ts')].toSorted()).toEqual([
      'command/commands.ts',
      'command/main.ts',
      'command/output.ts',
      'command/with-dependencies.ts',
      'commander',
      'node:module',
      'settings/called-as.ts',
    ])
  })

  it('lists every command with its description in the help', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
  })
})

describe('help of a command', () => {
  it('shows which options are required, and prints no empty default', async () => {
    const program = await programWith('questboard', () => true)
    const app = program.commands.find((command) => command.name() === 'app')
    const apply = app?.commands.find((command) => command.name() === 'apply')
    const help = apply?.helpInformation().replaceAll(/\s+/g, ' ')
    expect(help).toContain('--name <name> required; name that users see --purpose')
    expect(help).toContain('--origin <origin> origin whose scripts may call the token endpoint; may be repeated --post')
    expect(help).toContain('(default: true)')
    const imported = program.commands.find((command) => command.name() === 'import')
    expect(imported?.helpInformation()).not.toContain('default: {}')
  })
})

describe('output', () => {
  it('prints the result as JSON, without hints, for every kind of result', async () => {
    expect(JSON.parse((await run('token', 'list', '--json')).stdout)).toEqual([])
    const created = await run('token', 'create', '--name', 'a', '--json')
    expect(created.stderr).toBe('')
    const { token, tokenId } = JSON.parse(created.stdout) as { token: string; tokenId: string }
    expect(token).toMatch(/^qbs_/)
    const [listed] = JSON.parse((await run('token', 'list', '--json')).stdout) as object[]
    expect(listed).toMatchObject({ tokenId, name: 'a', revokedAt: null })
    expect(listed).not.toHaveProperty('token')
    const revoked = await run('token', 'revoke', tokenId, '--json')
    expect(JSON.parse(revoked.stdout)).toMatchObject({ tokenId, revokedAt: expect.any(String) as string })
    expect(JSON.parse((await run('refresh', '--json')).stdout)).toEqual([])
  })

  it('passes only the other options to the action', async () => {
    const action = vi.fn()
    const command = new OutputCommand('shop').option('--name <name>').action(action)
    await command.parseAsync(['--name', 'Garden', '--json', '--quiet'], { from: 'user' })
    expect(action).toHaveBeenCalledExactlyOnceWith({ name: 'Garden' }, command)
  })

  it('prints only results with --quiet', async () => {
    const created = await run('token', 'create', '--name', 'b', '--quiet')
    expect([created.stdout, created.stderr]).toEqual([expect.stringMatching(/^qbs_\S+\n$/), ''])
    const [{ tokenId = '' } = {}] = JSON.parse((await run('token', 'list', '--json')).stdout) as { tokenId: string }[]
    expect(await run('token', 'revoke', tokenId, '--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const misspelled = { DATABASE_URL: urlOf(database.connection), QUESTBOARD_DATBASE: 'x' }
    expect((await questboard(['config'], misspelled)).stderr).toMatch(
      /^These are the settings that this command uses\.[^]*QUESTBOARD_DATBASE/,
    )
    expect((await questboard(['config', '--quiet'], misspelled)).stderr).toBe('')
  })

  it('succeeds if a token is already revoked, and writes no second event', async () => {
    const { tokenId } = JSON.parse((await run('token', 'create', '--name', 'c', '--json')).stdout) as {
      tokenId: string
    }
    expect((await run('token', 'revoke', tokenId)).stdout).toMatch(/^Revoked: "c"/)
    expect(await run('token', 'revoke', tokenId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Already revoked: "c"/) as string,
    })
    const events = await database.query(
      `SELECT 1 FROM security_events WHERE event = 'token.revoked' AND details ->> 'tokenId' = $1`,
      [tokenId],
    )
    expect(events).toHaveLength(1)
  })

  it('keeps the lines of a list within 100 columns', () => {
    const id = '00000000-0000-4000-8000-000000000000'
    const facts = ['account a name of thirty characters or so', 'plan unlimited', 'starboard, space, credential, quest']
    const block = inBlock([id, 'n'.repeat(90)], [...facts, 'expires 2027-01-31T00:00:00Z', 'never used', ''])
    const lines = block.split('\n')
    expect(lines.every((line) => line.length <= MAX_WIDTH)).toBe(true)
    expect(lines[0]).toBe(id)
    expect(lines.slice(1).every((line) => line.startsWith('    '))).toBe(true)
    for (const fact of facts) expect(block).toContain(fact)
  })

  it('counts the separator at the end of a line', () => {
    const [line] = inBlock(['1'], ['a'.repeat(40), 'b'.repeat(54), 'next'])
      .split('\n')
      .slice(1)
    expect(line?.length).toBeLessThanOrEqual(MAX_WIDTH)
  })
})

describe('completion', () => {
  const complete = (script: string, words: string[]) => {
    const typed = words.map((word) => `'${word}'`).join(' ')
    const probe = `${script}\nCOMP_WORDS=(questboard ${typed}); COMP_CWORD=${words.length}; _questboard; echo "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', probe], { encoding: 'utf8' }).stdout.trim().split(' ')
  }

  it('completes commands, options and choices in bash', async () => {
    const { stdout: script } = await run('completion', 'bash')
    expect(complete(script, ['tok'])).toEqual(['token'])
    expect(complete(script, ['token', 're'])).toEqual(['regenerate', 'revoke'])
    expect(complete(script, ['token', 'create', '--n'])).toEqual(['--name'])
    expect(complete(script, ['completion', ''])).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })

  it.each(['zsh', 'fish'])('lists every command and option in %s', async (shell) => {
    const { stdout: script } = await run('completion', shell)
    for (const { words } of completionsOf(await programWith('questboard', () => true)))
      for (const { word } of words) expect(script).toContain(shell === 'fish' ? word.replace(/^--/, '-l ') : word)
  })

  const whereInstalled = (shell: string) => it.skipIf(spawnSync(shell, ['--version']).error !== undefined)

  whereInstalled('zsh')('defines a completion function in zsh', async () => {
    const { stdout: script } = await run('completion', 'zsh')
    // `compadd` works only in the line editor, so the probe prints what the script passes to it.
    const probe = `compdef() { :; }; compadd() { print -rl -- "$@"; }; _describe() { print -rl -- "\${(P@)2}"; }
      words=(questboard token re); CURRENT=3; PREFIX=re
      ${script}
_questboard`
    const { stdout, stderr } = spawnSync('zsh', ['-fc', probe], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout).toContain('regenerate')
    expect(stdout).toContain('revoke')
  })

  whereInstalled('fish')('completes commands and options in fish', async () => {
    const { stdout: script } = await run('completion', 'fish')
    const complete = (line: string) =>
      spawnSync('fish', ['--no-config', '--command', `${script}\ncomplete -C '${line}'`], { encoding: 'utf8' })
    expect(complete('questboard token re').stdout).toMatch(/^regenerate\b[^]*^revoke\b/m)
    expect(complete('questboard token create --n').stdout).toMatch(/^--name\b/m)
    expect(complete('questboard tok').stderr).toBe('')
  })

  it('rejects an unknown shell and lists the supported ones', async () => {
    expect(await run('completion', 'csh')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('bash, zsh, fish') as string,
    })
  })
})
