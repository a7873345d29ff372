import type { JsonSchema } from '../api/json-schema.ts'
import type { ApiContent } from '../api/openapi-document.ts'
import type { Fields } from '../ingest/check.ts'
import { JSON_TYPE, MAX_ITEMS, NDJSON_TYPE } from './limits.ts'

/** The JSON Schema of an item, generated from the fields that validate it. */
export function itemSchema(fields: Fields): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(fields).filter((name) => fields[name]?.fallback === undefined),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { schema, allowed, fallback }]) => [
        name,
        fallback === undefined
          ? { ...schema, description: allowed }
          : { anyOf: [schema, { type: 'null' }], description: allowed },
      ]),
    ),
  }
}

/** The content of a body with items, as JSON or NDJSON. */
export function itemsContent(fields: Fields, example: object): ApiContent {
  const schema = itemSchema(fields)
  return {
    [JSON_TYPE]: {
      schema: {
        anyOf: [
          {
            type: 'object',
            additionalProperties: false,
            required: ['items'],
            properties: { items: { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: schema } },
          },
          { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: schema },
        ],
      },
      example: { items: [example] },
    },
    [NDJSON_TYPE]: {
      schema: { type: 'string', description: 'One object per line.' },
      example: `${JSON.stringify(example)}\n`,
    },
  }
}
