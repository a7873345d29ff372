import { useEffect, useRef, useState } from 'react'
import type { Access } from './access.ts'
import { type Answer, sendQuery, type QueryInput } from './query-endpoint.ts'

/** Sends queries and keeps the last response. A new query or `stop` ends the running one. */
export function useRun(access: Access): {
  answer: Answer | undefined
  running: boolean
  run: (question: QueryInput) => Promise<void>
  stop: () => void
} {
  const [answer, setAnswer] = useState<Answer>()
  const [running, setRunning] = useState(false)
  const current = useRef<AbortController>(undefined)
  useEffect(() => () => current.current?.abort(), [])

  async function run(question: QueryInput) {
    current.current?.abort()
    const controller = new AbortController()
    current.current = controller
    setRunning(true)
    const received = await sendQuery(question, access, controller.signal)
    if (controller.signal.aborted) return
    setAnswer(received)
    setRunning(false)
  }

  function stop() {
    current.current?.abort()
    setRunning(false)
  }
  return { answer, running, run, stop }
}
