import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/connection.ts'
import type { Logger } from './logging/log.ts'
import type { Outgoing } from './outgoing/outgoing.ts'
import type { Random } from './random.ts'

/** What the service is given at its start; everything else is plain functions with typed arguments. */
export interface Dependencies {
  config: Config
  clock: Clock
  random: Random
  log: Logger
  database: Database
  /** The one door for requests to other machines. */
  outgoing: Outgoing
}
