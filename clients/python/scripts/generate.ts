import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ingestItemsFile } from './ingest-items.ts'
import { documentsFile, modelsFile } from './models.ts'
import { withoutAsync } from './without-async.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const client = 'clients/python'

/** Modules that are written by hand in both folders, because they differ. */
const BY_HAND = ['__init__.py', '_platform.py']

/** The generated files of the Python client: path from the root, and text. */
export function pythonFiles(): Array<[path: string, text: string]> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const sdl = read('schema.graphql')
  const operations = read(`${client}/operations.graphql`)
  const sync = [
    ['src/questboard/_async', 'src/questboard/_sync'],
    ['tests/async_', 'tests/sync_'],
  ].flatMap(([from, to]) =>
    globSync(`${client}/${from}/*.py`, { cwd: root })
      .toSorted()
      .filter((path) => !BY_HAND.includes(basename(path)))
      .map((path): [string, string] => [`${client}/${to}/${basename(path)}`, withoutAsync(read(path))]),
  )
  return [
    [`${client}/src/questboard/models.py`, modelsFile(sdl, operations)],
    [`${client}/src/questboard/_documents.py`, documentsFile(sdl, operations)],
    [`${client}/src/questboard/ingest_items.py`, ingestItemsFile()],
    ...sync,
  ]
}

if (import.meta.main) for (const [path, text] of pythonFiles()) writeFileSync(join(root, path), text)
