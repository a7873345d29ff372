import cluster from 'node:cluster'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import type { Address } from '../http/listeners.ts'
import type { Logger } from '../logging/log.ts'
import { watchHeartbeats } from './heartbeat.ts'
import { errorOf, type RenderedMetrics } from './messages.ts'
import { type End, startWorkerProcess, type WorkerProcess } from './worker-process.ts'

/** The worker processes of this instance. Each listens at the same port. */
export interface WorkerPool {
  /**
   * Lets the first worker serve requests, and starts the others after it.
   * @returns the address where the first one listens
   * @throws the error that kept the first one from it
   */
  open(connection: ClientConfig): Promise<Address>
  /** Fails when workers end again and again right after their start. */
  readonly lost: Promise<never>
  load: () => { serving: number; starting: number }
  /** Those that take requests. */
  serving(): WorkerProcess[]
  /**
   * Lets each finish its requests, and waits until all have ended.
   * @param notice milliseconds for which they report the stop first
   */
  stop: (notice: number) => Promise<void>
  /** Ends them at once. */
  kill: () => void
}

export interface PoolOptions {
  size: number
  /** Where they listen. Port 0: any free port, the same for all. */
  at: Address
  log: Logger
  /** Returns the response of `/metrics`, whichever worker is asked. */
  renderMetrics: () => Promise<RenderedMetrics>
  onEnded: (worker: WorkerProcess) => void
}

/** Who has worked for this long did not fail at its start. */
const STEADY = 10 * SECOND
/** The service gives up when this many processes in one slot have ended early in a row, with 15 seconds of pauses. */
const MOST_EARLY_ENDS = 6
const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = 8 * SECOND
/** The first answers before the others take the processor to start. */
const HEAD_START = SECOND / 4

const MAIN = join(import.meta.dirname, '..', 'main.ts')

export function createPool({ size, at, log, renderMetrics, onEnded }: PoolOptions): WorkerPool {
  const workers = new Map<number, WorkerProcess>()
  const heartbeats = watchHeartbeats()
  const opened = Promise.withResolvers<Address>()
  const lost = Promise.withResolvers<never>()
  // Both may fail before a caller waits for them.
  lost.promise.catch(() => {})
  opened.promise.catch(() => {})
  let connection: ClientConfig | undefined
  /** Where the workers listen, once the first one does. */
  let address: Address | undefined
  let complete = false
  let stopping = false

  // The first one brings up its code while the database is opened.
  cluster.setupPrimary({ exec: MAIN, serialization: 'advanced' })
  add(1)

  /** @param earlyEnds how many ended early at this place, one after the other */
  function add(number: number, earlyEnds = 0): void {
    if (stopping) return
    const worker: WorkerProcess = startWorkerProcess({
      number,
      log,
      heartbeats,
      renderMetrics,
      onServing: begins,
      onEnded: (end) => ended(worker, end, earlyEnds),
    })
    workers.set(number, worker)
    if (connection) start(worker, connection)
  }

  function start(worker: WorkerProcess, to: ClientConfig): void {
    const where = { address: address ?? at, shared: address !== undefined }
    worker.send({ kind: 'start', worker: worker.number, connection: to, complete, ...where })
  }

  function begins(at: Address): void {
    if (!address) {
      address = at
      opened.resolve(at)
      // A stop does not wait for those that have not been started.
      setTimeout(addOthers, HEAD_START).unref()
    }
    if (complete || serving().length < size) return
    complete = true
    log.info({ workers: size }, 'all workers take requests')
    for (const worker of serving()) worker.send({ kind: 'complete' })
  }

  function addOthers(): void {
    for (let number = 2; number <= size; number++) add(number)
  }

  function ended(worker: WorkerProcess, { failure, lasted, ...how }: End, earlyEnds: number): void {
    const { number } = worker
    workers.delete(number)
    onEnded(worker)
    if (stopping) return
    const reason = failure?.message
    const inShort = `worker ${number} ended with ${how.signal ?? `exit status ${how.code}`}`
    if (!address) return opened.reject(failure ? errorOf(failure) : new Error(`${inShort} before it was ready.`))
    log.error({ which: number, ...how, reason }, 'a worker ended')
    // Without the database none can start: that passes, and those who work go on.
    const passing = failure?.passing === true
    const early = lasted >= STEADY ? 0 : passing ? earlyEnds : earlyEnds + 1
    if (early >= MOST_EARLY_ENDS)
      return lost.reject(
        new Error(`workers end again and again right after their start. The last: ${reason ?? `${inShort}.`}`),
      )
    setTimeout(add, passing ? FIRST_PAUSE : pauseAfter(early), number, early).unref()
  }

  function serving(): WorkerProcess[] {
    return [...workers.values()].filter((worker) => worker.serving).sort((a, b) => a.number - b.number)
  }

  return {
    lost: lost.promise,
    async open(to) {
      connection = to
      for (const worker of workers.values()) start(worker, to)
      return opened.promise
    },
    load: () => ({ serving: serving().length, starting: size - serving().length }),
    serving,
    async stop(notice) {
      stopping = true
      await Promise.all([...workers.values()].map((worker) => worker.stop(notice)))
    },
    kill() {
      stopping = true
      for (const worker of workers.values()) worker.kill()
    },
  }
}

/** No pause after the first: an operator may have ended it, or the cause is rare. */
const pauseAfter = (earlyEnds: number) =>
  earlyEnds <= 1 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (earlyEnds - 2))
