import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { generated as clientTypes, target as clientTypesFile } from '../client/scripts/generate-schema-types.ts'
import { pythonFiles } from '../clients/python/scripts/generate.ts'
import { startEmbedded } from '../server/src/database/embedded.ts'
import { generateTables } from '../server/src/database/generate-tables.ts'
import { migrate } from '../server/src/database/migrate.ts'
import { sdl } from '../server/src/graphql/schema.ts'
import { cliPage } from './cli-page.ts'
import { withoutEnginesOfOptionalPackages } from './lockfile.ts'
import { pictures } from './pictures.ts'
import { rulesSchemaFile } from './rules-schema.ts'
import { schemaPage } from './schema-page.ts'
import { withSettingsTable } from './settings-table.ts'

// Writes the files that are generated and committed: the schema that clients see, its page in the manual and its types
// for the TypeScript client, the generated modules of the Python client, the reference of the command line, the pictures of the manual, the tables that
// Kysely checks, the table of settings; and puts the lockfile right.
const root = join(import.meta.dirname, '..')
const dataDir = await mkdtemp(join(tmpdir(), 'questboard-generate-'))
const postgres = await startEmbedded({ dataDir })
const client = new Client(postgres.connection)
await client.connect()
await migrate(client)
await writeFile(join(root, 'server/src/database/tables.ts'), await generateTables(client))
await writeFile(join(root, 'schema.graphql'), sdl)
await writeFile(join(root, 'docs/schema.md'), await schemaPage(sdl))
await writeFile(join(root, 'docs/cli.md'), await cliPage())
await writeFile(join(root, 'docs/rules.schema.json'), await rulesSchemaFile())
for (const [path, svg] of pictures()) await writeFile(join(root, path), svg)
await writeFile(clientTypesFile, await clientTypes())
for (const [path, text] of pythonFiles()) await writeFile(join(root, path), text)
const settings = join(root, 'docs/settings.md')
await writeFile(settings, await withSettingsTable(await readFile(settings, 'utf8')))
const lockfile = join(root, 'package-lock.json')
await writeFile(lockfile, withoutEnginesOfOptionalPackages(await readFile(lockfile, 'utf8')))
await client.end()
await postgres.stop()
await rm(dataDir, { recursive: true, force: true })
