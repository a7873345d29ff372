import { type Challenge, prove } from '../api/challenges.ts'

const KEY = 'questboard.telegram'

interface Pending {
  challengeId: string
  returnTo: string
}

/** Opens Telegram's login widget, which redirects to /sign-in with the result in the fragment. */
export function leaveForTelegram(challenge: Challenge, returnTo: string): void {
  const pending: Pending = { challengeId: challenge.id, returnTo }
  sessionStorage.setItem(KEY, JSON.stringify(pending))
  window.location.assign(challenge.widget?.url ?? '/sign-in')
}

/** Reads the widget's result from the URL if this tab started the sign-in, and removes it from the URL. */
export function takeTelegramAnswer(): { pending: Pending; answer: object | undefined } | undefined {
  const fragment = /^#tgAuthResult=(.*)$/.exec(window.location.hash)?.[1]
  const stored = sessionStorage.getItem(KEY)
  if (fragment === undefined || stored === null) return undefined
  sessionStorage.removeItem(KEY)
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return { pending: JSON.parse(stored) as Pending, answer: readAnswer(fragment) }
}

/** Telegram returns `false` if the user refused. */
function readAnswer(fragment: string): object | undefined {
  try {
    const bytes = Uint8Array.from(atob(fragment.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    const answer = JSON.parse(new TextDecoder().decode(bytes)) as unknown
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}

/** Sends the proof. @returns the next page of the browser; for a merge, its address contains the id of the merge */
export async function finishTelegram({ challengeId, returnTo }: Pending, answer: object): Promise<string> {
  const { merge } = await prove({ id: challengeId }, answer)
  if (!merge) return returnTo
  const page = new URL(returnTo, window.location.origin)
  page.searchParams.set('merge', merge.id)
  return page.pathname + page.search
}
