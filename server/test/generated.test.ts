import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { cliPage } from '../../scripts/cli-page.ts'
import { pictures } from '../../scripts/pictures.ts'
import { rulesSchemaFile } from '../../scripts/rules-schema.ts'
import { generateTables } from '../src/database/generate-tables.ts'
import { schema, sdl } from '../src/graphql/schema.ts'
import { createTestDatabase } from './support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const committed = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

test('schema.graphql matches the served schema (else: npm run generate)', () => {
  expect(committed('schema.graphql')).toBe(sdl)
})

test('docs/cli.md matches the commands (else: npm run generate)', async () => {
  expect(committed('docs/cli.md')).toBe(await cliPage())
})

test('docs/rules.schema.json matches the shapes of rules (else: npm run generate)', async () => {
  expect(committed('docs/rules.schema.json')).toBe(await rulesSchemaFile())
})

test('the pictures of the manual match their scripts (else: npm run generate)', () => {
  for (const [path, svg] of pictures()) expect(committed(path)).toBe(svg)
})

test('tables.ts matches the migrations (else: npm run generate)', async () => {
  const client = new Client(database.connection)
  await client.connect()
  const generated = await generateTables(client)
  await client.end()
  expect(committed('server/src/database/tables.ts')).toBe(generated)
})

test('every type, field, argument, input field and enum value of the schema has a description', () => {
  const bare: string[] = []
  const check = (name: string, { description }: { description?: string | null | undefined }) => {
    if (!description?.trim()) bare.push(name)
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    check(type.name, type)
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value)
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) check(`${type.name}.${field.name}`, field)
    if (isObjectType(type))
      for (const field of Object.values(type.getFields())) {
        check(`${type.name}.${field.name}`, field)
        for (const argument of field.args) check(`${type.name}.${field.name}(${argument.name}:)`, argument)
      }
  }
  expect(bare).toEqual([])
})
