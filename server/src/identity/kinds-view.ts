import { challengeKinds } from './kinds.ts'
import type { Services } from '../services.ts'
import { redirectKinds } from './social/redirect-kinds.ts'

/** `GET /api/identity-kinds`. */
export function viewKinds({ config }: Services) {
  const challenged = challengeKinds.map(({ kind, label, browser, off }) => ({
    kind,
    label,
    ...browser,
    off: off?.(config),
  }))
  const redirected = redirectKinds.map(({ kind, label, off }) => ({
    kind,
    label,
    way: 'redirect',
    start: `/identity/${kind}/start`,
    off: off(config),
  }))
  const kinds = [...challenged, ...redirected]
  const on = kinds.filter(({ off }) => off === undefined)
  // Telegram has two sign-in methods; report why it is off only if both are off.
  const reasons = new Map(kinds.map(({ kind, label, off }) => [kind, { kind, label, reason: off ?? '' }]))
  for (const { kind } of on) reasons.delete(kind)
  return { kinds: on, off: [...reasons.values()] }
}

/** The request with which a page starts to link an identity of this kind. The browser returns to `returnTo`. */
export function linkWays(services: Services, kind: string, returnTo: string) {
  return viewKinds(services)
    .kinds.filter((each) => each.kind === kind)
    .map((each) => ({
      way: each.way,
      ...('start' in each && { start: `${each.start}?purpose=link&return=${encodeURIComponent(returnTo)}` }),
    }))
}

export function isKindOn(config: Services['config'], name: string): boolean {
  const challenged = challengeKinds.some(({ kind, off }) => kind === name && off?.(config) === undefined)
  return challenged || redirectKinds.some(({ kind, off }) => kind === name && off(config) === undefined)
}
