import { useCallback, useEffect, useState } from 'react'
import { type Connection, connect } from './connection.ts'

/** The connection of a token. Reads the schema again when the token changes or `retry` is called. */
export function useConnection(token: string): { connection: Connection; retry: () => void } {
  const [connection, setConnection] = useState<Connection>({ state: token === '' ? 'no-token' : 'connecting' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let current = true
    setConnection({ state: token === '' ? 'no-token' : 'connecting' })
    void connect(token).then((made) => {
      if (current) setConnection(made)
    })
    return () => {
      current = false
    }
  }, [token, attempt])
  return { connection, retry: useCallback(() => setAttempt((count) => count + 1), []) }
}
