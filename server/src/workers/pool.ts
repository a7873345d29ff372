import cluster from 'node:cluster'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { type MonotonicClock, SECOND } from '../clock.ts'
import type { Address } from '../http/listeners.ts'
import type { Logger } from '../logging/log.ts'
import { watchHeartbeats } from './heartbeat.ts'
import { errorOf, type RenderedMetrics } from './messages.ts'
import { startWorkerProcess, type WorkerExit, type WorkerProcess } from './worker-process.ts'

/** The worker processes of this instance. All workers listen on the same port. */
export interface WorkerPool {
  /**
   * Lets the first worker serve requests, and then starts the other workers.
   * @returns the address on which the first worker listens
   * @throws the error because of which the first worker could not start
   */
  open(connection: ClientConfig): Promise<Address>
  /** Rejects if workers exit repeatedly right after their start. Never resolves. */
  readonly lost: Promise<never>
  load: () => { serving: number; starting: number }
  /** Returns the workers that accept requests. */
  serving(): WorkerProcess[]
  /**
   * Lets each worker finish its requests, and waits until all workers have exited.
   * @param notice milliseconds for which the workers report the stop before they stop
   */
  stop: (notice: number) => Promise<void>
  /** Kills all workers immediately. */
  kill: () => void
}

export interface PoolOptions {
  size: number
  /** The address on which all workers listen. With port 0, all workers share the same free port. */
  at: Address
  clock: MonotonicClock
  log: Logger
  /** Returns the response of `/metrics`, which is the same for all workers. */
  renderMetrics: () => Promise<RenderedMetrics>
  onEnded: (worker: WorkerProcess) => void
}

/** If a worker exits before this time, its exit is early; see MAX_EARLY_EXITS. */
const MIN_UPTIME = 10 * SECOND
/**
 * The service exits if a worker and its replacements exit early this many times in a row. The pauses before the
 * replacements are 15 seconds in total.
 */
const MAX_EARLY_EXITS = 6
const MIN_PAUSE = SECOND
const MAX_PAUSE = 8 * SECOND
/** The pause between the start of the first worker and the start of the others. It makes the service respond sooner. */
const HEAD_START = SECOND / 4

/** Each worker has half the young generation of a single process (docs/decisions/0038). V8 takes the last of two equal flags. */
const MEMORY_FLAGS = ['--max-semi-space-size=8']

const MAIN = join(import.meta.dirname, '..', 'main.ts')

export function createPool({ size, at, clock, log, renderMetrics, onEnded }: PoolOptions): WorkerPool {
  const workers = new Map<number, WorkerProcess>()
  const heartbeats = watchHeartbeats()
  const opened = Promise.withResolvers<Address>()
  const lost = Promise.withResolvers<never>()
  // Both promises may reject before a caller awaits them. These handlers prevent unhandled rejections.
  lost.promise.catch(() => {})
  opened.promise.catch(() => {})
  let connection: ClientConfig | undefined
  /** The address on which the workers listen; undefined until the first worker listens. */
  let address: Address | undefined
  let complete = false
  let stopping = false

  // The first worker loads its code while this process opens the database.
  cluster.setupPrimary({ exec: MAIN, serialization: 'advanced', execArgv: [...process.execArgv, ...MEMORY_FLAGS] })
  add(1)

  /** @param earlyEnds how many workers with this number have exited early in a row */
  function add(number: number, earlyEnds = 0): void {
    if (stopping) return
    const worker: WorkerProcess = startWorkerProcess({
      number,
      clock,
      log,
      heartbeats,
      renderMetrics,
      onServing: noteServing,
      onEnded: (end) => ended(worker, end, earlyEnds),
    })
    workers.set(number, worker)
    if (connection) start(worker, connection)
  }

  function start(worker: WorkerProcess, to: ClientConfig): void {
    const where = { address: address ?? at, shared: address !== undefined }
    worker.send({ kind: 'start', worker: worker.number, connection: to, complete, ...where })
  }

  function noteServing(at: Address): void {
    if (!address) {
      address = at
      opened.resolve(at)
      // The timer does not keep the process running during a stop (`unref`).
      setTimeout(addOthers, HEAD_START).unref()
    }
    if (complete || serving().length < size) return
    complete = true
    log.info({ workers: size }, 'all workers accept requests')
    for (const worker of serving()) worker.send({ kind: 'complete' })
  }

  function addOthers(): void {
    for (let number = 2; number <= size; number++) add(number)
  }

  function ended(worker: WorkerProcess, { failure, lasted, ...how }: WorkerExit, earlyEnds: number): void {
    const { number } = worker
    workers.delete(number)
    onEnded(worker)
    if (stopping) return
    const reason = failure?.message
    const inShort = `worker ${number} ended with ${how.signal ?? `exit status ${how.code}`}`
    if (!address) return opened.reject(failure ? errorOf(failure) : new Error(`${inShort} before it was ready.`))
    log.error({ which: number, ...how, reason }, 'a worker ended')
    // An unreachable database is a temporary failure, so this exit does not count as early. Other workers continue.
    const temporary = failure?.temporary === true
    const early = lasted >= MIN_UPTIME ? 0 : temporary ? earlyEnds : earlyEnds + 1
    if (early >= MAX_EARLY_EXITS)
      return lost.reject(
        new Error(`workers exit repeatedly right after their start. Last reason: ${reason ?? `${inShort}.`}`),
      )
    setTimeout(add, temporary ? MIN_PAUSE : pauseAfter(early), number, early).unref()
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

/** The first early exit causes no pause, because an operator may have killed the process. */
const pauseAfter = (earlyEnds: number) => (earlyEnds <= 1 ? 0 : Math.min(MAX_PAUSE, MIN_PAUSE * 2 ** (earlyEnds - 2)))
