import type { Dependencies } from './dependencies.ts'
import { type InstallationSecret, loadInstallationSecret } from './secrets/installation-secret.ts'
import { type Site, siteOf } from './settings/site.ts'
import type { Asking } from './sessions/with-account.ts'

/** What every part of the sign-in service is given. */
export interface Services extends Dependencies {
  site: Site
  secret: InstallationSecret
  /** What is still being written after its answer; whoever stops the service waits for it. */
  unfinished: Set<Promise<void>>
  /** In whose name something is done for an account, if a browser asks for it (with-account.ts). */
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
