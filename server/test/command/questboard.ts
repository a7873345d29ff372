import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'

const main = join(import.meta.dirname, '../../src/command/main.ts')

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** The URL of a test database, for `DATABASE_URL`. */
export function urlOf({ host, port, user, password, database }: ClientConfig): string {
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : ''
  return `postgres://${user}${secret}@${encodeURIComponent(host ?? 'localhost')}:${port}/${database}`
}

/** Starts `questboard …` as a separate process. */
export function startQuestboard(args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => (stdout += String(data)))
  child.stderr.on('data', (data) => (stderr += String(data)))
  child.stdin.on('error', () => {}) // a command that fails does not read all its input
  return {
    stdin: child.stdin,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Resolves when standard error contains the text. */
    async says(text: string): Promise<void> {
      while (!stderr.includes(text)) await once(child.stderr, 'data')
    },
    finished: once(child, 'close').then(([code]): Finished => ({ code: code as number | null, stdout, stderr })),
  }
}

/** Runs `questboard …` and waits for its exit. */
export async function questboard(
  args: string[],
  environment: Record<string, string>,
  input: string | Buffer = '',
): Promise<Finished> {
  const child = startQuestboard(args, environment)
  child.stdin.end(input)
  return child.finished
}
