#!/usr/bin/env node
import { createRequire } from 'node:module'
import type { Command } from 'commander'
import { PROGRAM } from './called-as.ts'
import { programWith } from './commands.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/** Errors whose message says all that the caller needs; any other error is shown with its origin. */
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
  'LostKeysError',
  'MirrorError',
  'MirrorPausedError',
  'NotErasedError',
  'NotResealedError',
  'NothingToRunError',
  'ObjectError',
  'OtherSecretError',
  'OutgoingError',
  'RpcError',
  'ServiceError',
  'SourceError',
  'SourceRefusedError',
  'TokenInputError',
  'TooManyRemovedError',
  'UnusableDatabaseError',
])

// `help NAME` shows the help of a command, too.
const typed = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const asked = typed[0] === 'help' ? typed[1] : typed[0]
const program = (await programWith(PROGRAM, ({ name }) => name === asked)).version(version)
pointToHelp(program)
let running: Command | undefined
program.hook('preAction', (_, command) => {
  running = command
})
// A closed terminal or pipe rejects the text. The command still ends in order.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error
  })
try {
  await program.parseAsync()
} catch (error) {
  const name = error instanceof Error ? error.name : ''
  if (plain.has(name)) console.error((await import('./explain.ts')).explain(error as Error, running))
  else console.error((await import('../database/unusable.ts')).whyUnusable(error) ?? error)
  process.exitCode = name === 'InterruptedError' ? 130 : name === 'ConfigError' ? 2 : 1
}

/** A mistake in what was typed names the command whose help says what is allowed. */
function pointToHelp(command: Command, path: readonly string[] = []): void {
  const own = [...path, command.name()]
  command.showHelpAfterError(`To see what is allowed: ${own.join(' ')} --help`)
  // The library looks for options that are missing first; often the unknown one is the one that is missing, mistyped.
  command.configureOutput({
    outputError(text, write) {
      const unknown = text.startsWith('error: required option') && command.args.find((word) => /^--?[a-z]/i.test(word))
      write(unknown ? `error: unknown option '${unknown}'\n${text}` : text)
    },
  })
  for (const sub of command.commands) pointToHelp(sub, own)
}
