import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generated } from '../scripts/generate-schema-types.ts'
import { schemaTypes } from '../scripts/schema-types.ts'

test('the types of the client match schema.graphql (else: npm run generate)', async () => {
  const committed = await readFile(join(import.meta.dirname, '../src/schema.ts'), 'utf8')
  expect(committed).toBe(await generated())
})

test('nullable fields allow null, enums allow other values, and descriptions become comments', () => {
  const sdl = `
    "The root."
    type Query { a(in: In!): [[Int!]]! }
    input In { must: ID!, may: [E] }
    enum E { "One." X Y }`
  expect(schemaTypes(sdl)).toMatchInlineSnapshot(`
    "// Generated from schema.graphql by \`npm run generate -w @questboard/client\`. Do not edit.

    /** A value that this version of the client does not list: servers may know more. */
    export type Unlisted = string & Record<never, never>

    /** The root. */
    export interface Query {
      a: Array<Array<number> | null>
    }

    export interface In {
      must: string | number
      may?: ReadonlyArray<E | null> | null
    }

    /**
     * - \`X\`: One.
     * - \`Y\`
     */
    export type E = 'X' | 'Y' | Unlisted

    /** The type of a variable, by the name that a document declares it with. */
    export interface Inputs {
      Int: number
      In: In
      ID: string | number
      E: E
      Boolean: boolean
      String: string
    }
    "
  `)
})

test('rejects a type that the client does not support', () => {
  expect(() => schemaTypes('scalar Money type Query { price: Money }')).toThrow('the client has no type for Money')
})
