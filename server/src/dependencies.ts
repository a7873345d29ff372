import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/connection.ts'
import type { Logger } from './logging/log.ts'
import type { Outgoing } from './outgoing/outgoing.ts'
import type { Random } from './random.ts'

/** The values that the service receives at its start. */
export interface Dependencies {
  config: Config
  clock: Clock
  random: Random
  log: Logger
  database: Database
  /** Sends all requests to other machines. */
  outgoing: Outgoing
}
