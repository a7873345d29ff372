import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BenchDatabase } from '../data/bench-database.ts'
import { onCore } from './cores.ts'

export interface OidcProvider {
  url: string
  pid: number
  /** Codes that consents would have made, and up to 256 access tokens. */
  seed(count: number, scope: string): Promise<{ codes: string[]; accessTokens: string[] }>
  /** What an app sends with each request. */
  credentials: string
  stop(): Promise<void>
}

const SCRIPT = join(import.meta.dirname, '..', 'references', 'oidc-provider.ts')

/** Starts the reference on a separate database. */
export async function startOidcProvider({ url: databaseUrl }: Pick<BenchDatabase, 'url'>): Promise<OidcProvider> {
  const [command, args] = onCore('server', process.execPath, [SCRIPT, databaseUrl])
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const ready = /^ready (\S+)$/m.exec(printed)?.[1]
      if (ready !== undefined) resolve(ready)
    })
    child.once('exit', (code) => reject(new Error(`oidc-provider ended with ${code}`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    credentials: `client_id=bench&client_secret=${'S'.repeat(43)}`,
    async seed(count, scope) {
      const response = await fetch(`${url}/seed`, { method: 'POST', body: JSON.stringify({ count, scope }) })
      return (await response.json()) as { codes: string[]; accessTokens: string[] }
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}
