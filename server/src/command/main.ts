#!/usr/bin/env node
import { Command } from 'commander'
import { TokenInputError } from '../access/server-tokens.ts'
import { ConfigError } from '../config.ts'
import { ApiError } from '../identity/api-error.ts'
import { ImportRefusedError } from '../ingest/problems.ts'
import { ImportFileError } from '../ingest/source.ts'
import { appCommand } from './app.ts'
import { configCommand } from './config.ts'
import { importCommand, InterruptedError } from './import.ts'
import { migrateCommand } from './migrate.ts'
import { operatorCommand } from './operator.ts'
import { tokenCommand } from './token.ts'
import { usageCommand } from './usage.ts'
import { withDependencies } from './with-dependencies.ts'

const commands = [
  importCommand(withDependencies),
  tokenCommand(withDependencies),
  usageCommand(withDependencies),
  appCommand(withDependencies),
  operatorCommand(withDependencies),
  migrateCommand(),
  configCommand(),
]

/** Whose message says all that the caller needs; anything else is shown with its origin. */
const plain = [ApiError, ConfigError, ImportFileError, ImportRefusedError, InterruptedError, TokenInputError]

const program = new Command('questboard').description('Commands for the operator of a Questboard installation.')
for (const command of commands) program.addCommand(command)
try {
  await program.parseAsync()
} catch (error) {
  console.error(plain.some((kind) => error instanceof kind) ? (error as Error).message : error)
  process.exitCode = error instanceof InterruptedError ? 130 : error instanceof ConfigError ? 2 : 1
}
