import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const COMMAND = join(import.meta.dirname, '../../server/src/command/main.ts')

export interface Importer {
  /** The number of the last import that said it was done, and of the last that began. */
  done(): number
  begun(): number
  /** How many said that they were done. */
  completed(): number
  kill(): void
  stop(): Promise<void>
}

export interface ImporterOptions {
  dataDir: string
  /** Empty for the embedded server of the folder. */
  databaseUrl: string
  spaces: readonly number[]
  addresses: readonly string[]
}

/** Runs `questboard import` again and again: the n-th import sets the points of every member of the spaces to n. */
export function startImporter({ dataDir, databaseUrl, spaces, addresses }: ImporterOptions): Importer {
  const file = join(dataDir, 'points.csv')
  let [done, begun, completed] = [0, 0, 0]
  let stopping = false
  let child: ChildProcess | undefined
  const importing = (async () => {
    while (!stopping) {
      const points = ++begun
      const lines = spaces.flatMap((spaceId) => addresses.map((address) => `${spaceId},${address},${points}`))
      await writeFile(file, `spaceId,address,points\n${lines.join('\n')}\n`)
      child = spawn(process.execPath, [COMMAND, 'import', file, '--kind', 'points'], {
        env: { ...process.env, DATABASE_URL: databaseUrl, QUESTBOARD_DATA_DIR: dataDir },
        stdio: 'ignore',
      })
      const [code] = (await once(child, 'exit')) as [number | null]
      if (code !== 0) continue
      done = points
      completed++
    }
  })()
  importing.catch(() => {}) // stop() reports the error
  return {
    done: () => done,
    begun: () => begun,
    completed: () => completed,
    kill: () => void child?.kill('SIGKILL'),
    async stop() {
      stopping = true
      await importing
    },
  }
}
