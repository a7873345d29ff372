import type { Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { openListeners } from '../../src/http/listeners.ts'

export interface Rivalry {
  /** Of how many arrivals all rivals know: shared memory. */
  arrivals: Int32Array
  rivals: number
  rounds: number
  address: { host: string; port: number }
}

const { arrivals, rivals, rounds, address } = workerData as Rivalry
let awaited = 0

/** Goes on when every rival has come here, all at the same moment. */
function together(): void {
  awaited += rivals
  Atomics.add(arrivals, 0, 1)
  Atomics.notify(arrivals, 0)
  for (let come = Atomics.load(arrivals, 0); come < awaited; come = Atomics.load(arrivals, 0))
    Atomics.wait(arrivals, 0, come)
}

// A thread that tries the port in every round and says how each time went.
const outcomes: string[] = []
for (let round = 0; round < rounds; round++) {
  together()
  const opening = openListeners((socket: Socket) => void socket.destroy(), address)
  const listeners = await opening.catch((error: NodeJS.ErrnoException) => {
    outcomes.push(error.code ?? String(error))
    return undefined
  })
  if (listeners) outcomes.push('listens')
  together()
  await listeners?.close()
}
parentPort?.postMessage(outcomes)
