import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onCore } from './cores.ts'

/** A reference server, in a separate process on the core of the servers. */
export interface ReferenceProcess {
  url: string
  pid: number
  stop(): Promise<void>
}

const FOLDER = join(import.meta.dirname, '..', 'references')

/**
 * Starts references/NAME.ts with a JSON text as its argument. The process sends its port as a message.
 * @param nodeOptions of Node, where the reference is to run as the service does
 */
export async function startReference(
  name: string,
  options: unknown,
  nodeOptions: readonly string[] = [],
): Promise<ReferenceProcess> {
  const node = [...nodeOptions, join(FOLDER, `${name}.ts`), JSON.stringify(options)]
  const [command, args] = onCore('server', process.execPath, node)
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const port = await Promise.race([portOf(child), failure(child, name)])
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return port
}

async function failure(child: ChildProcess, name: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null]
  throw new Error(`the reference ${name} ended with ${code}`)
}
