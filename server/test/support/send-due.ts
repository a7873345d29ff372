import { createSender, type Queue, type SenderDependencies } from '../../src/jobs/sender.ts'
import { runningWork } from '../../src/jobs/running-work.ts'

/** Sends everything that is due now, and waits for it. Returns how many attempts were made. */
export async function sendDue<Message>(queue: Queue<Message>, deps: SenderDependencies): Promise<number> {
  const running = runningWork()
  const sender = createSender(queue, deps, running)
  let attempts = 0
  for (;;) {
    const begun = await sender.begin()
    if (begun === 0) return attempts
    attempts += begun
    await running.allEnded()
  }
}
