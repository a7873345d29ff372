import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { databaseSettings, loadConfig } from '../config.ts'
import { newDatabaseNotice } from '../database/data-folder.ts'
import { openConfiguredDatabase } from '../database/open.ts'
import { createLog } from '../logging/log.ts'
import { hint, OutputCommand, printDone, progressScreen } from './output.ts'
import { stepsDisplay } from './progress.ts'

/** `questboard migrate`: updates the schema; the service also does this when it starts. */
export function migrateCommand(): Command {
  return new OutputCommand('migrate').action(async () => {
    const config = loadConfig(process.env, databaseSettings)
    const notice = newDatabaseNotice(config)
    if (notice !== undefined) hint(notice)
    const display = stepsDisplay(progressScreen(), systemClock, 'migrating')
    const opened = await openConfiguredDatabase(config, createLog({ logLevel: 'warn' }), {
      watch: {
        begins: (name, at, total) => display.begins(name, at, total),
        applied: (name) => display.say(`applied ${name}`),
        waits: (name, holders) => display.say(`${name} waits for locks held by: ${holders}`),
        ended: () => display.close(),
      },
    }).finally(() => display.close())
    printDone({ applied: opened.applied }, 'The schema is up to date.')
    await opened.close()
  })
}
