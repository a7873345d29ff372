#!/usr/bin/env node
import { createRequire } from 'node:module'
import { Command, InvalidArgumentError } from 'commander'
import { TokenInputError } from '../access/server-tokens.ts'
import { ConfigError } from '../config.ts'
import { UnusableDatabaseError, whyUnusable } from '../database/unusable.ts'
import { ServiceError } from '../errors.ts'
import { ApiError } from '../identity/api-error.ts'
import { ImportRefusedError } from '../ingest/problems.ts'
import { ImportFileError } from '../ingest/source.ts'
import { accountCommand } from './account.ts'
import { appCommand } from './app.ts'
import { configCommand } from './config.ts'
import { databaseCommand } from './database.ts'
import { DistributionError } from '../distribution/distribute.ts'
import { doctorCommand } from './doctor.ts'
import { importCommand, InterruptedError } from './import.ts'
import { ingestTokenCommand } from './ingest-token.ts'
import { MirrorError } from '../mirror/mirror-error.ts'
import { mirrorCommand } from './mirror.ts'
import { keysCommand, LostKeysError, NotResealedError } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { auditCommand } from './audit.ts'
import { PROGRAM } from './called-as.ts'
import { explain } from './explain.ts'
import { operatorCommand } from './operator.ts'
import { NotErasedError, personCommand } from './person.ts'
import { refreshCommand } from './refresh.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { AlreadyRunningError, NothingToRunError } from '../sync/run-sync.ts'
import { TooManyRemovedError } from '../sync/replace-list.ts'
import { SourceError } from '../sync/source-error.ts'
import { SourceRefusedError } from '../sync/source.ts'
import { OtherSecretError } from './secret-of-service.ts'
import { syncCommand } from './sync.ts'
import { tokenCommand } from './token.ts'
import { usageCommand } from './usage.ts'
import { webhookCommand } from './webhook.ts'
import { withSettings } from './with-dependencies.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }
const secrets = ['QUESTBOARD_SECRET', 'QUESTBOARD_OTHER_SECRETS'] as const
const database = withSettings()
const outgoing = withSettings('QUESTBOARD_OUTGOING_HOSTS', ...secrets)
const signIn = withSettings('PORT', 'QUESTBOARD_PUBLIC_URL', ...secrets)

const commands = [
  importCommand(database),
  tokenCommand(withSettings('QUESTBOARD_FREE_PER_SECOND', 'QUESTBOARD_FREE_PER_DAY')),
  ingestTokenCommand(database),
  usageCommand(database),
  accountCommand(database),
  refreshCommand(database),
  syncCommand(outgoing),
  mirrorCommand(outgoing),
  webhookCommand(withSettings(...secrets, 'QUESTBOARD_WEBHOOK_HOSTS')),
  appCommand(signIn),
  operatorCommand(signIn),
  keysCommand(signIn),
  auditCommand(database),
  personCommand(database),
  migrateCommand(),
  databaseCommand(database),
  configCommand(),
  doctorCommand(),
]

/** Whose message says all that the caller needs; anything else is shown with its origin. */
const plain = [
  AlreadyRunningError,
  ApiError,
  ConfigError,
  DistributionError,
  ImportFileError,
  ImportRefusedError,
  InterruptedError,
  InvalidArgumentError,
  LostKeysError,
  MirrorError,
  NotErasedError,
  NotResealedError,
  NothingToRunError,
  OtherSecretError,
  OutgoingError,
  ServiceError,
  SourceError,
  SourceRefusedError,
  TokenInputError,
  TooManyRemovedError,
  UnusableDatabaseError,
]

const program = new Command(PROGRAM)
  .description('Commands for the operator of a Questboard installation.')
  .version(version)
for (const command of commands) program.addCommand(command)
pointToHelp(program)
let running: Command | undefined
program.hook('preAction', (_, command) => {
  running = command
})
try {
  await program.parseAsync()
} catch (error) {
  console.error(
    plain.some((kind) => error instanceof kind) ? explain(error as Error, running) : (whyUnusable(error) ?? error),
  )
  process.exitCode = error instanceof InterruptedError ? 130 : error instanceof ConfigError ? 2 : 1
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
