/** Between the tabs of this browser: a sign-in or a sign-out in one of them. */
const NAME = 'questboard-session'

type Message = 'signed in' | 'signed out'

function tell(message: Message): void {
  const channel = new BroadcastChannel(NAME)
  channel.postMessage(message)
  channel.close()
}

function on(message: Message, listener: () => void): () => void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = ({ data }) => {
    if (data === message) listener()
  }
  return () => channel.close()
}

export const tellSignedIn = () => tell('signed in')
export const tellSignedOut = () => tell('signed out')

/** @returns a function that stops listening */
export const onSignedIn = (listener: () => void) => on('signed in', listener)
export const onSignedOut = (listener: () => void) => on('signed out', listener)
