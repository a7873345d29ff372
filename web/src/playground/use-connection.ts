import { useCallback, useEffect, useState } from 'react'
import { onSignedOut } from '../api/session-channel.ts'
import { type Connection, connect } from './connection.ts'

/**
 * The connection of a token, or of the session if there is no token. Reads the schema again when the token changes,
 * `retry` is called, or another tab ends the session.
 */
export function useConnection(token: string): { connection: Connection; retry: () => void } {
  const [connection, setConnection] = useState<Connection>({ state: 'connecting', access: { token } })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let current = true
    setConnection({ state: 'connecting', access: { token } })
    void connect(token).then((made) => {
      if (current) setConnection(made)
    })
    return () => {
      current = false
    }
  }, [token, attempt])
  const retry = useCallback(() => setAttempt((count) => count + 1), [])
  useEffect(() => (token === '' ? onSignedOut(retry) : undefined), [token, retry])
  return { connection, retry }
}
