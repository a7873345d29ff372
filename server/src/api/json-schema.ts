import { z } from 'zod'

/** JSON Schema 2020-12, which is what OpenAPI 3.1 uses. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema of a shape that a body is checked with. */
export function schemaOf(shape: z.ZodType): JsonSchema {
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
  delete schema.$schema
  return schema
}
