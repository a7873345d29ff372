import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onCore } from '../processes/cores.ts'
import { cpuSeconds } from '../processes/cpu-time.ts'

export interface LoadOrder {
  /** GET sends no body: each of `bodies` is further header lines, each with its line end. */
  method: 'POST' | 'GET'
  host: string
  port: number
  path: string
  /** Paths of the bodies, if they differ. */
  paths?: string[]
  headers: Record<string, string>
  /** Bodies of the requests, asked for in turn, from the beginning again when all were asked. */
  bodies: string[]
  connections: number
  /** Seconds before and during the measurement. */
  warmup: number
  seconds: number
  /** The status of a good answer; 304 has no body. */
  status: 200 | 304
  /** Send each body exactly once instead of for a number of seconds. */
  once: boolean
}

export interface LoadReport {
  requests: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers that were 503: more was asked than can be answered. */
  refused: number
  /** Answers that were neither good nor 503, or had errors, and lost connections. */
  failures: number
  firstFailure?: string
}

/** The load, and what it cost the process that was asked. */
export interface Load extends LoadReport {
  /** Microseconds of processor time a request. */
  cpu: number
}

export interface LoadTarget {
  url: string
  /** The process whose processor time is counted. */
  pid: number
  headers?: Record<string, string>
}

export interface LoadGenerator {
  /**
   * @param order `mayRefuse`: more may be asked than can be answered; who asks looks at what was refused
   * @throws when any answer was not what it had to be
   */
  run(
    target: LoadTarget,
    order: Pick<LoadOrder, 'bodies'> & Partial<LoadOrder> & { mayRefuse?: boolean },
  ): Promise<Load>
  close(): Promise<void>
}

const GENERATOR = join(import.meta.dirname, 'generator.ts')

/** Starts the load generator process, on a separate core if possible. */
export function startLoadGenerator(): LoadGenerator {
  const [command, args] = onCore('load', process.execPath, [GENERATOR])
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    async run({ url, pid, headers = {} }, { mayRefuse = false, ...order }) {
      const { hostname, port, pathname } = new URL(url)
      const before = cpuSeconds(pid)
      const full: LoadOrder = {
        method: 'POST',
        host: hostname,
        port: Number(port),
        path: pathname,
        headers,
        connections: 16,
        warmup: 0.5,
        seconds: 3,
        once: false,
        status: 200,
        ...order,
      }
      const report = await ask(child, full)
      const failures = report.failures + (mayRefuse ? 0 : report.refused)
      if (failures > 0) throw new Error(`${failures} requests failed, the first: ${report.firstFailure}`)
      const share = full.once ? 1 : full.seconds / (full.seconds + full.warmup)
      return { ...report, cpu: ((cpuSeconds(pid) - before) * 1e6 * share) / report.requests }
    },
    async close() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function ask(child: ChildProcess, order: LoadOrder): Promise<LoadReport> {
  const answer = once(child, 'message') as Promise<[LoadReport | { error: string }]>
  child.send(order)
  const [report] = await answer
  if ('error' in report) throw new Error(report.error)
  return report
}
