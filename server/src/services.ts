import type { SystemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/connection.ts'
import type { Logger } from './logging/log.ts'
import type { Outgoing } from './outgoing/outgoing.ts'
import type { Random } from './random.ts'
import { type InstallationSecret, loadInstallationSecret } from './secrets/installation-secret.ts'
import { type Site, siteOf } from './settings/site.ts'

/** The values that are created at the start. All other code is functions with explicit parameters. */
export interface Dependencies {
  config: Config
  clock: SystemClock
  random: Random
  log: Logger
  database: Database
  /** The only way to send requests to other machines. */
  outgoing: Outgoing
}

/** The dependencies of sign-in, OAuth and the JSON API. */
export interface Services extends Dependencies {
  site: Site
  secret: InstallationSecret
  /** Writes that can continue after the response, such as notes of refused sign-ins. The shutdown waits for them. */
  pendingWrites: Set<Promise<void>>
}

export function createServices(dependencies: Dependencies): Services {
  return {
    ...dependencies,
    site: siteOf(dependencies.config),
    secret: loadInstallationSecret(dependencies.config),
    pendingWrites: new Set(),
  }
}

export function nowOf(services: Pick<Services, 'clock'>): Date {
  return new Date(services.clock.now())
}

export function later(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds)
}
