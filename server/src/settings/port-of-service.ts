import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Folder {
  databaseUrl: string | undefined
  dataDir: string
}

const fileOf = ({ dataDir }: Folder) => join(dataDir, 'port')

/** Stores the port on which a service with an embedded database listens, so that commands print links to this service. */
export async function storePort(folder: Folder, port: number): Promise<void> {
  if (folder.databaseUrl === undefined) await writeFile(fileOf(folder), `${port}\n`)
}

/** The port of the last service that used the data folder; undefined if none did, or with another database. */
export async function findPort(folder: Folder): Promise<number | undefined> {
  if (folder.databaseUrl !== undefined) return undefined
  const text = await readFile(fileOf(folder), 'utf8').catch(() => '')
  return /^[1-9]\d{0,4}\n$/.test(text) ? Number(text) : undefined
}
