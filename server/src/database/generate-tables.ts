import type { Client } from 'pg'

/** The TypeScript types of PostgreSQL types: [selected, inserted and updated]. */
const typescript: Record<string, [select: string, write: string]> = {
  bool: ['boolean', 'boolean'],
  bytea: ['Buffer', 'Buffer'],
  date: ['Date', 'Date | string'],
  float8: ['number', 'number'],
  int2: ['number', 'number'],
  int4: ['number', 'number'],
  int8: ['number', 'number'],
  jsonb: ['unknown', 'string'],
  numeric: ['string', 'string | number'],
  text: ['string', 'string'],
  _int4: ['number[]', 'number[]'],
  _int8: ['string[]', 'string[]'],
  _text: ['string[]', 'string[]'],
  timestamptz: ['Date', 'Date | string'],
  uuid: ['string', 'string'],
}

interface Column {
  table_name: string
  column_name: string
  udt_name: string
  nullable: boolean
  has_default: boolean
}

/** The text of tables.ts for a migrated database: one interface a table, for Kysely. */
export async function generateTables(client: Client): Promise<string> {
  const { rows } = await client.query<Column>(`
    SELECT c.table_name, column_name, udt_name, is_nullable = 'YES' AS nullable,
           (column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS') AS has_default
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'schema_migrations'
    ORDER BY c.table_name COLLATE "C", ordinal_position`)
  const tables = Map.groupBy(rows, (row) => row.table_name)
  const interfaces = [...tables].map(
    ([table, columns]) => `export interface ${pascalCase(table)} {\n${columns.map(columnLine).join('\n')}\n}\n`,
  )
  const map = [...tables.keys()].map((table) => `  ${table}: ${pascalCase(table)}`).join('\n')
  return `// Generated from the migrated schema by \`npm run generate\`; do not edit.
import type { ColumnType } from 'kysely'

${interfaces.join('\n')}
export interface DB {
${map}
}
`
}

function columnLine({ column_name, udt_name, nullable, has_default }: Column): string {
  const known = typescript[udt_name]
  if (!known) throw new Error(`generate-tables: no TypeScript type for ${udt_name} (column ${column_name})`)
  // An id may exceed 2^53: it is written as text, and selected with a cast to text.
  let [select, write] = column_name === 'credential_id' ? ['never', 'string'] : known
  if (nullable) [select, write] = [`${select} | null`, `${write} | null`]
  const insert = nullable || has_default ? `${write} | undefined` : write
  const plain = select === write && insert === write
  return `  ${column_name}: ${plain ? select : `ColumnType<${select}, ${insert}, ${write}>`}`
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
