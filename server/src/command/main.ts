#!/usr/bin/env node
import { createRequire } from 'node:module'
import type { Command } from 'commander'
import { PROGRAM } from '../settings/called-as.ts'
import { programWith } from './commands.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/** Errors whose message is sufficient; other errors are printed with a stack trace. */
const plain = new Set([
  'AlreadyRunningError',
  'ApiError',
  'CommanderError',
  'ConfigError',
  'DistributionError',
  'ImportFileError',
  'ImportRefusedError',
  'InterruptedError',
  'InvalidArgumentError',
  'LedgerError',
  'LostKeysError',
  'MirrorError',
  'MirrorPausedError',
  'NotAppliedError',
  'NotErasedError',
  'NotResealedError',
  'NothingToRunError',
  'ObjectError',
  'OtherSecretError',
  'OutgoingError',
  'ProgrammeRefusedError',
  'RpcError',
  'ServiceError',
  'SnapshotError',
  'SourceError',
  'SourceRefusedError',
  'TokenInputError',
  'TooManyRemovedError',
  'UnusableDatabaseError',
])

// `help NAME` also shows the help of a command.
const typed = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const asked = typed[0] === 'help' ? typed[1] : typed[0]
const program = (await programWith(PROGRAM, ({ name }) => name === asked)).version(version)
pointToHelp(program)
let running: Command | undefined
program.hook('preAction', (_, command) => {
  running = command
})
// Writes to a closed terminal or pipe fail; the command must still end in order.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error
  })
try {
  await program.parseAsync()
} catch (error) {
  const name = error instanceof Error ? error.name : ''
  if (plain.has(name)) console.error((await import('./explain.ts')).explain(error as Error, running))
  else console.error((await import('../database/explain-unusable.ts')).explainUnusableDatabase(error) ?? error)
  process.exitCode = name === 'InterruptedError' ? 130 : name === 'ConfigError' ? 2 : 1
}

/** Adds a hint to the help of the command to usage errors. */
function pointToHelp(command: Command, path: readonly string[] = []): void {
  const own = [...path, command.name()]
  command.showHelpAfterError(`To see what is allowed: ${own.join(' ')} --help`)
  // The library reports a missing required option first, although often it was only mistyped.
  command.configureOutput({
    outputError(text, write) {
      const unknown = text.startsWith('error: required option') && command.args.find((word) => /^--?[a-z]/i.test(word))
      write(unknown ? `error: unknown option '${unknown}'\n${text}` : text)
    },
  })
  for (const sub of command.commands) pointToHelp(sub, own)
}
