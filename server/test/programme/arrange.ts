import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { vi } from 'vitest'
import { applyCommand } from '../../src/command/apply.ts'
import { exportCommand } from '../../src/command/export.ts'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { systemRandom } from '../../src/random.ts'
import type { Dependencies } from '../../src/services.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const SECRET = 'a secret of at least thirty-two characters'

export interface Programmes {
  deps: Dependencies & { database: TestDatabase }
  /** Writes files by name and applies them. @returns the printed lines */
  apply(files: Record<string, string>, ...options: string[]): Promise<string>
  export(...options: string[]): Promise<string>
  close(): Promise<void>
}

/** The commands `apply` and `export` on an empty database. */
export async function startProgrammes(): Promise<Programmes> {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'questboard-programme-'))
  const config = loadConfig({ QUESTBOARD_SECRET: SECRET, QUESTBOARD_DATA_DIR: '/nonexistent/questboard' })
  const outgoing = createOutgoing({ hosts: [] })
  const deps = { config, database, outgoing, clock: testClock(), random: systemRandom, log: silentLog }
  const printed: string[] = []
  const run = async (command: Command, args: string[]) => {
    printed.length = 0
    vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
    await command.parseAsync(args, { from: 'user' })
    return printed.join('\n')
  }
  return {
    deps,
    async apply(files, ...options) {
      const names = Object.keys(files).map((name) => join(folder, name))
      for (const [index, text] of Object.values(files).entries()) await writeFile(names[index] as string, text)
      return run(
        applyCommand((work) => work(deps)),
        [...names, ...options],
      ).catch((error: Error) => {
        error.message = error.message.replaceAll(`${folder}/`, '')
        throw error
      })
    },
    export: (...options) =>
      run(
        exportCommand((work) => work(deps)),
        options,
      ),
    async close() {
      await rm(folder, { recursive: true })
      await outgoing.close()
      await database.drop()
    },
  }
}
