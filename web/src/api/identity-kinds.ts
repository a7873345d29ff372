import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'

/** The method by which the browser proves an identity of a kind. */
export type Way = 'wallet' | 'passkey' | 'telegram-widget' | 'email-code' | 'redirect'

export interface IdentityKind {
  kind: string
  label: string
  way: Way
  /** The path that starts the sign-in of a redirect kind. */
  start?: string
}

interface IdentityKinds {
  kinds: IdentityKind[]
  off: { kind: string; label: string; reason: string }[]
}

/** The kinds that are on here; they change only with the service's configuration. */
export const kindsQuery = queryOptions({
  queryKey: ['session', 'identity-kinds'],
  queryFn: () => send<IdentityKinds>('GET', '/api/identity-kinds'),
  staleTime: Infinity,
})
