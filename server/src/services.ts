import type { Dependencies } from './dependencies.ts'
import { type InstallationSecret, loadInstallationSecret } from './secrets/installation-secret.ts'
import { type Site, siteOf } from './settings/site.ts'
import type { Asking } from './sessions/with-account.ts'

/** The dependencies of the sign-in service. */
export interface Services extends Dependencies {
  site: Site
  secret: InstallationSecret
  /** Writes that continue after their response; a stop waits for them. */
  unfinished: Set<Promise<void>>
  /** The browser session that requests a change, if any (with-account.ts). */
  asking?: Asking
}

export function createServices(dependencies: Dependencies): Services {
  return {
    ...dependencies,
    site: siteOf(dependencies.config),
    secret: loadInstallationSecret(dependencies.config),
    unfinished: new Set(),
  }
}

export function nowOf(services: Pick<Services, 'clock'>): Date {
  return new Date(services.clock.now())
}

export function later(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds)
}
