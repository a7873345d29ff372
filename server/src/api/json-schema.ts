import { z } from 'zod'

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema of a Zod shape. */
export function schemaOf(shape: z.ZodType): JsonSchema {
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
  delete schema.$schema
  return schema
}
