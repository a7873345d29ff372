import cluster from 'node:cluster'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import type { Logger } from '../logging/log.ts'
import { watchHeartbeats } from './heartbeat.ts'
import { errorOf, type RenderedMetrics, type ToWorker } from './messages.ts'
import { type End, startWorkerProcess, type WorkerProcess } from './worker-process.ts'

/** The worker processes of this instance: they take the requests that come in at its one port. */
export interface WorkerPool {
  /**
   * Lets them take requests: the first as soon as it can, the others after it.
   * @returns when the first does
   * @throws what kept the first from it
   */
  open(connection: ClientConfig): Promise<void>
  /** The one whose turn it is to be given a connection, of those that are free. */
  nextFree: () => WorkerProcess | undefined
  /** Fails when workers end again and again right after their start. */
  readonly lost: Promise<never>
  load: () => { serving: number; starting: number }
  /** Those that take requests. */
  serving(): WorkerProcess[]
  /** Whether every one has taken requests. */
  readonly complete: boolean
  /** Sends to each of those that take requests. */
  broadcast: (message: ToWorker) => void
  /** Lets each say that it goes soon, those as well that begin now. */
  drain: () => void
  /**
   * Lets each finish what it has under way, and waits until all have ended.
   * @param notice milliseconds for which the service has said that it goes
   */
  stop: (notice: number) => Promise<void>
  /** Ends them at once. */
  kill: () => void
}

export interface PoolOptions {
  size: number
  log: Logger
  /** Whether workers accept connections themselves. */
  surging: () => boolean
  /** What `/metrics` answers, whichever worker is asked. */
  renderMetrics: () => Promise<RenderedMetrics>
  onEnded: (worker: WorkerProcess) => void
  /** One of them can be given a connection. */
  onFree: () => void
  /** One takes requests from now on. */
  onServing: (worker: WorkerProcess) => void
  /** One of them has accepted so many connections itself. */
  onAccepted: (count: number) => void
}

/** Who has worked for this long did not fail at its start. */
const STEADY = 10 * SECOND
/** So many may end early at one place, one after the other, before the service gives up: 15 seconds of pauses lie between. */
const MOST_EARLY_ENDS = 6
const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = 8 * SECOND
/** The first answers before the others take the processor to start. */
const HEAD_START = SECOND / 4

const MAIN = join(import.meta.dirname, '..', 'main.ts')

export function createPool(options: PoolOptions): WorkerPool {
  const { size, log, surging, renderMetrics, onEnded, onFree, onServing, onAccepted } = options
  const workers = new Map<number, WorkerProcess>()
  const heartbeats = watchHeartbeats({ surging })
  const opened = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<never>()
  // Whoever waits for them is told, also when they fail before.
  lost.promise.catch(() => {})
  opened.promise.catch(() => {})
  let connection: ClientConfig | undefined
  /** Whether the first has taken requests. */
  let begun = false
  let complete = false
  let draining = false
  /** Who was given a connection last. */
  let last = 0
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
      onServing: () => begins(worker),
      onFree,
      onAccepted,
      onEnded: (end) => ended(worker, end, earlyEnds),
    })
    workers.set(number, worker)
    if (connection) start(worker, connection)
  }

  function start(worker: WorkerProcess, to: ClientConfig): void {
    worker.send({ kind: 'start', worker: worker.number, connection: to, complete })
  }

  function begins(worker: WorkerProcess): void {
    if (draining) worker.send({ kind: 'drain' })
    onServing(worker)
    if (!begun) {
      begun = true
      opened.resolve()
      // A stop does not wait for those that have not been started.
      setTimeout(addOthers, HEAD_START).unref()
    }
    onFree()
    if (complete || serving().length < size) return
    complete = true
    log.info({ workers: size }, 'all workers take requests')
    broadcast({ kind: 'complete' })
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
    if (!begun) return opened.reject(failure ? errorOf(failure) : new Error(`${inShort} before it was ready.`))
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

  function broadcast(message: ToWorker): void {
    for (const worker of serving()) worker.send(message)
  }

  return {
    lost: lost.promise,
    async open(to) {
      connection = to
      for (const worker of workers.values()) start(worker, to)
      return opened.promise
    },
    nextFree() {
      const free = serving().filter((worker) => worker.free)
      const worker = free.find(({ number }) => number > last) ?? free[0]
      last = worker?.number ?? last
      return worker
    },
    get complete() {
      return complete
    },
    load: () => ({ serving: serving().length, starting: size - serving().length }),
    serving,
    broadcast,
    drain() {
      draining = true
      broadcast({ kind: 'drain' })
    },
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

/** None after the first: somebody has ended it, or it has met something rare. */
const pauseAfter = (earlyEnds: number) =>
  earlyEnds <= 1 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (earlyEnds - 2))
