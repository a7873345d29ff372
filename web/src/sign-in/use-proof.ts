import { useRef } from 'react'
import {
  type RequestChallenge,
  challengeRequester,
  type Challenge,
  prove,
  type Proved,
  type Purpose,
} from '../api/challenges.ts'
import { forgetAnswers } from '../api/session.ts'
import { rememberWay } from './last-way.ts'
import { useMutation } from '../shell/use-mutation.ts'

/** A method of proving an identity, and the text shown while it runs. */
export interface Job {
  /** Stored as the last sign-in method. */
  id: string
  kind: string
  title: string
  help: string
  run: (ask: RequestChallenge) => Promise<{ challenge: Challenge; proof: object }>
}

class Cancelled extends Error {
  override name = 'Cancelled'
}

/** Runs jobs, one at a time. The response of a wallet whose job was cancelled is dropped. */
export function useProof(purpose: Purpose, onDone: (session: Proved) => void) {
  const current = useRef(0)
  const mutation = useMutation({
    mutationFn: async (job: Job) => {
      const turn = ++current.current
      const { challenge, proof } = await job.run(challengeRequester(job.kind, purpose))
      if (turn !== current.current) throw new Cancelled()
      const session = await prove(challenge, proof)
      if (purpose === 'sign-in') rememberWay(job.id)
      await forgetAnswers()
      return session
    },
    onSuccess: onDone,
  })
  return {
    job: mutation.isPending ? mutation.variables : undefined,
    error: mutation.error instanceof Cancelled ? null : mutation.error,
    run: (job: Job) => mutation.mutate(job),
    cancel: () => {
      current.current++
      mutation.reset()
    },
  }
}
