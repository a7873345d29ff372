import { z } from 'zod'

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>

export function schemaOf(shape: z.ZodType): JsonSchema {
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
  delete schema.$schema
  return schema
}
