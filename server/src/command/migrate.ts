import { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { databaseSettings, loadConfig } from '../config.ts'
import { newDatabaseNotice } from '../database/data-folder.ts'
import { openConfiguredDatabase } from '../database/open.ts'
import { createLog } from '../log.ts'
import { stepsDisplay } from './progress.ts'

/** `questboard migrate`: brings the schema up to date; the service does the same when it starts. */
export function migrateCommand(): Command {
  return new Command('migrate').description('bring the schema of the database up to date').action(async () => {
    const config = loadConfig(process.env, databaseSettings)
    const notice = newDatabaseNotice(config)
    if (notice !== undefined) console.error(notice)
    const display = stepsDisplay(process.stderr, systemClock, 'migrating', false)
    const opened = await openConfiguredDatabase(config, createLog({ logLevel: 'warn' }), {
      begins: (name, at, total) => display.begins(name, at, total),
      applied: (name) => display.say(`applied ${name}`),
      waits: (name, holders) => display.say(`${name} waits for locks that others hold: ${holders}`),
      ended: () => display.close(),
    }).finally(() => display.close())
    if (opened.applied.length === 0) console.log('The schema is up to date.')
    await opened.close()
  })
}
