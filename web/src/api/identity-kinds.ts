import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'

/** How a kind is proved in the browser. */
export type Way = 'wallet' | 'passkey' | 'telegram-widget' | 'email-code' | 'redirect'

export interface IdentityKind {
  kind: string
  label: string
  way: Way
  /** Of a redirect kind: where it begins. */
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
