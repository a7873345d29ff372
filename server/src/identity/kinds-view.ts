import { challengeKinds } from './kinds.ts'
import type { SignIn } from './sign-in.ts'

/** `GET /api/identity-kinds` (contract 6): the kinds that are on, what each needs in the browser, and why others are off. */
export function viewKinds({ config }: SignIn) {
  const kinds = challengeKinds.map(({ kind, label, browser, off }) => ({ kind, label, ...browser, off: off?.(config) }))
  return {
    kinds: kinds.filter(({ off }) => off === undefined),
    off: kinds.flatMap(({ kind, label, off }) => (off === undefined ? [] : [{ kind, label, reason: off }])),
  }
}
