import { SECOND } from '../clock.ts'
import type { Logger } from '../logging/log.ts'
import type { MigrationWatch } from './migrate.ts'

const EVERY = 5 * SECOND

/** If a migration takes long, the service does not respond yet and logs that every five seconds. */
export function noteSlowMigrations(log: Pick<Logger, 'info' | 'warn'>): MigrationWatch {
  let timer: NodeJS.Timeout | undefined
  const end = () => clearInterval(timer)
  return {
    begins(migration, at, total) {
      let seconds = 0
      timer = setInterval(() => {
        seconds += EVERY / SECOND
        log.info({ migration, at, total, seconds }, 'a migration is running')
      }, EVERY)
    },
    applied: end,
    waits(migration, holders) {
      log.warn({ migration, holders }, 'a migration waits for locks of other sessions; retrying')
    },
    ended: end,
  }
}
