import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { vi } from 'vitest'
import { objectCommand } from '../../../src/command/objects.ts'
import type { WithDependencies } from '../../../src/command/token.ts'
import { objectKinds, type ObjectName } from '../../../src/objects/object-kinds.ts'
import type { Dependencies } from '../../../src/services.ts'
import { PROGRAM } from '../../../src/settings/called-as.ts'
import { root } from './blocks.ts'

const objectCommands = (Object.keys(objectKinds) as ObjectName[]).map(
  (name) => (withDependencies: WithDependencies) => objectCommand(name, withDependencies),
)

const otherCommands = await Promise.all(
  globSync('server/src/command/*.ts', { cwd: root })
    .filter((path) => /^export function \w+Command\(withDependencies/m.test(readFileSync(join(root, path), 'utf8')))
    .map(async (path) => {
      const module = (await import(join(root, path))) as Record<string, (deps: WithDependencies) => Command>
      return Object.entries(module).find(([name]) => name.endsWith('Command'))![1]
    }),
)

/** All commands that use the database. */
export const commands = [...objectCommands, ...otherCommands]

/** Runs a command as the command line does, but for its process and its connection. Returns what it printed. */
export async function runCommand(deps: Dependencies, words: readonly string[]): Promise<string> {
  const withDependencies: WithDependencies = (work) => work(deps)
  const program = new Command('questboard').exitOverride()
  for (const make of commands) program.addCommand(make(withDependencies))
  const printed: string[] = []
  const keep = (...texts: unknown[]) => void printed.push(texts.join(' '))
  vi.spyOn(console, 'log').mockImplementation(keep)
  vi.spyOn(console, 'error').mockImplementation(keep)
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    keep(String(text).trimEnd())
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    // A terminal shows the answer, too.
    if (String(text).endsWith('(yes/no) ')) keep(`${String(text)}yes`)
    return true
  })
  try {
    await program.parseAsync(words, { from: 'user' })
  } finally {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
  return printed.join('\n').replaceAll(PROGRAM, 'bin/questboard')
}

export const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** The pattern of a line of output. Ids, times, tokens and numbers may differ, and … matches any text. */
export function patternOf(line: string): RegExp {
  const variable =
    /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<= )[\w-]{43}(?=$|,)|^[\w-]{43}$|\d[\d,.:]*|…| +/g
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  let pattern = ''
  let from = 0
  for (const { 0: found, index } of line.matchAll(variable)) {
    pattern += literal(line.slice(from, index))
    if (found === '…') pattern += '.*'
    else if (found.startsWith(' ')) pattern += ' +'
    else if (/^[\d,.:]+$/.test(found)) pattern += '[\\d,.:]+'
    else pattern += '[\\w:.-]+'
    from = index + found.length
  }
  return new RegExp(`^${pattern}${literal(line.slice(from))}$`)
}
