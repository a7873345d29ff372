/** Between the tabs of this browser: a sign-in in one of them. */
const NAME = 'questboard-sign-in'

export function tellSignedIn(): void {
  const channel = new BroadcastChannel(NAME)
  channel.postMessage('signed in')
  channel.close()
}

/** @returns a function that stops listening */
export function onSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = listener
  return () => channel.close()
}
