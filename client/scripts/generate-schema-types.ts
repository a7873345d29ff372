import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { schemaTypes } from './schema-types.ts'

const root = join(import.meta.dirname, '..', '..')
export const target = join(root, 'client', 'src', 'schema.ts')
const options = await resolveConfig(target)

/** What `client/src/schema.ts` has to be. */
export async function generated(): Promise<string> {
  const sdl = await readFile(join(root, 'schema.graphql'), 'utf8')
  return format(schemaTypes(sdl), { ...options, filepath: target })
}

if (import.meta.main) await writeFile(target, await generated())
