import { format, resolveConfig } from 'prettier'
import { rulesSchema } from '../server/src/rules/rule-route-descriptions.ts'

/** The JSON Schema of rules, as docs/rules.schema.json. */
export async function rulesSchemaFile(): Promise<string> {
  const options = await resolveConfig(import.meta.filename)
  return format(JSON.stringify(rulesSchema()), { ...options, parser: 'json' })
}
