import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The service in a separate process with an embedded database. */
export interface ServiceProcess {
  url: string
  demoToken: string
  /** How to make the first operator, if there is none. */
  firstOperator: string | undefined
  child: ChildProcess
  /** The messages of its log. */
  logged: () => string
  /** Stops it like Ctrl-C, and returns the exit status. */
  interrupt(): Promise<number | null>
  /** Stops it like `kill -9`. */
  kill(): Promise<void>
}

export const MAIN = join(import.meta.dirname, '../../src/main.ts')

export async function temporaryDataDir(): Promise<{ dataDir: string; remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'questboard-process-'))
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) }
}

/** The environment of a process or command that uses this data folder. */
export function processEnvironment(dataDir: string, settings: Record<string, string> = {}): NodeJS.ProcessEnv {
  // One worker by default, however many cores the machine has.
  const own = { DATABASE_URL: '', QUESTBOARD_DATA_DIR: dataDir, PORT: '0', QUESTBOARD_LOG_LEVEL: 'warn', WORKERS: '1' }
  return { ...process.env, ...own, ...settings }
}

/** Starts the service and waits for its startup message. */
export async function startProcess(dataDir: string, settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: processEnvironment(dataDir, settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.endsWith('\n')) resolve()
    })
    // Not 'exit', because standard error may have more lines after it.
    child.once('close', (code) => reject(new Error(`the service ended with ${code}: ${messagesIn(complaints)}`)))
  })
  await ready
  const {
    url,
    demo_token_file: file,
    first_operator: firstOperator,
  } = JSON.parse(printed) as { url: string; demo_token_file?: string; first_operator?: string }
  const exited = once(child, 'exit')
  return {
    url,
    firstOperator,
    demoToken: file === undefined ? '' : (await readFile(file, 'utf8')).trim(),
    child,
    logged: () => messagesIn(complaints),
    async interrupt() {
      child.kill('SIGINT')
      const [code] = (await exited) as [number | null]
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The messages of log lines; other output unchanged. */
function messagesIn(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '')
  return lines.map((line) => (line.startsWith('{') ? (JSON.parse(line) as { msg: string }).msg : line)).join('\n')
}

/** The running workers of a service (Linux), without its PostgreSQL. */
export async function workersOf({ child: { pid } }: ServiceProcess): Promise<number[]> {
  const read = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '')
  const children = (await read(`${pid}/task/${pid}/children`)).split(' ').filter(Boolean)
  const commands = await Promise.all(children.map((each) => read(`${each}/cmdline`)))
  return children.filter((_, index) => commands[index]?.includes(MAIN)).map(Number)
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
