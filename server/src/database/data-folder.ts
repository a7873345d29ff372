import { statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'

/** The notice before an embedded database is made; undefined if a database exists or DATABASE_URL is set. */
export function newDatabaseNotice({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): string | undefined {
  if (databaseUrl !== undefined || isThere(join(dataDir, 'postgres', 'PG_VERSION'))) return undefined
  return `no database found: creating a new one in ${dataDir} (to use another, set QUESTBOARD_DATA_DIR or DATABASE_URL)`
}

/** Whether the path exists. Also true if this user may not look it up. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/**
 * Makes the folder of QUESTBOARD_DATA_DIR, and those above it where they are missing.
 * @throws an error for the operator that names the setting, the folder and the reason
 */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeWithParents(folder)
  } catch (cause) {
    const { code = 'unknown', path } = cause as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? `${path} is not a folder` : code
    throw new Error(
      `QUESTBOARD_DATA_DIR: the folder ${folder} cannot be created (${reason}). Use a folder that this user can write.`,
      { cause },
    )
  }
}

/** Creates one folder at a time, because Node's recursive mkdir never ends in file systems such as /proc (ENOENT). */
async function makeWithParents(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeWithParents(parent)
  await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await isFolder(folder))) throw error // another process may have been faster
  })
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
