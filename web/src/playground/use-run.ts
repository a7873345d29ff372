import { useEffect, useRef, useState } from 'react'
import type { Access } from './access.ts'
import { type QueryResponse, sendQuery, type QueryInput } from './query-endpoint.ts'

/** Sends queries and keeps the last response. A new query or `stop` ends the running one. */
export function useRun(access: Access): {
  response: QueryResponse | undefined
  running: boolean
  run: (request: QueryInput) => Promise<void>
  stop: () => void
} {
  const [response, setResponse] = useState<QueryResponse>()
  const [running, setRunning] = useState(false)
  const current = useRef<AbortController>(undefined)
  useEffect(() => () => current.current?.abort(), [])

  async function run(request: QueryInput) {
    current.current?.abort()
    const controller = new AbortController()
    current.current = controller
    setRunning(true)
    const received = await sendQuery(request, access, controller.signal)
    if (controller.signal.aborted) return
    setResponse(received)
    setRunning(false)
  }

  function stop() {
    current.current?.abort()
    setRunning(false)
  }
  return { response, running, run, stop }
}
