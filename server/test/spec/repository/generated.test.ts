import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { pythonFiles } from '../../../../clients/python/scripts/generate.ts'
import { cliPage } from '../../../../scripts/cli-page.ts'
import { pictures } from '../../../../scripts/pictures.ts'
import { rulesSchemaFile } from '../../../../scripts/rules-schema.ts'
import { generateTables } from '../../../src/database/generate-tables.ts'
import { schema, sdl } from '../../../src/graphql/schema.ts'
import { createTestDatabase } from '../../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const root = join(import.meta.dirname, '../../../..')
const committed = (path: string) => readFileSync(join(root, path), 'utf8')

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

test('the modules of the Python client match the schema and their asynchronous form (else: npm run generate)', () => {
  const files = pythonFiles()
  for (const [path, text] of files) expect(committed(path)).toBe(text)
  const synchronous = globSync('clients/python/{src/questboard/_sync,tests/sync_}/*.py', { cwd: root })
  const byHand = synchronous.filter((path) => !files.some(([generated]) => generated === path))
  expect(byHand.map((path) => basename(path)).toSorted()).toEqual(['__init__.py', '__init__.py', '_platform.py'])
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
