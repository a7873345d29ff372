import { consent, signIn } from '../texts/index.ts'

/** The name of what an app asks for. */
export const nameOfScope = (scope: string): string => consent.scopes[scope] ?? signIn.kinds[scope] ?? scope
