import type { Dependencies } from '../dependencies.ts'
import { type InstallationSecret, loadInstallationSecret } from './installation-secret.ts'
import { type Site, siteOf } from './site.ts'

/** What every part of the sign-in service is given. */
export interface SignIn extends Dependencies {
  site: Site
  secret: InstallationSecret
}

export function createSignIn(dependencies: Dependencies): SignIn {
  return {
    ...dependencies,
    site: siteOf(dependencies.config),
    secret: loadInstallationSecret(dependencies.config),
  }
}

export function nowOf(signIn: Pick<SignIn, 'clock'>): Date {
  return new Date(signIn.clock.now())
}

export function later(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds)
}
