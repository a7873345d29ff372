import { spawnSync } from 'node:child_process'
import { Kind, parse, print, visit } from 'graphql'
import { expect, it } from 'vitest'
import { sdl } from '../../../src/graphql/schema.ts'
import { findGraphqlCore } from './find-graphql-core.ts'

const READ = 'import sys, graphql; graphql.build_ast_schema(graphql.parse(sys.stdin.read()))'

const readers = findGraphqlCore()
for (const major of ['2', '3'])
  if (!readers.has(major))
    process.stderr.write(`graphql-core ${major} of Python does not read the schema: it is missing.\n`)

function complaintOf(major: string, text: string): string {
  return spawnSync(readers.get(major) ?? '', ['-c', READ], { input: text, encoding: 'utf8' }).stderr
}

it.skipIf(!readers.has('3'))('serves a schema that graphql-core 3 parses', () => {
  expect(complaintOf('3', sdl)).toBe('')
})

it.skipIf(!readers.has('2'))('serves a schema that graphql-core 2 parses without descriptions', () => {
  const document = visit(parse(sdl), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  })
  expect(document.kind).toBe(Kind.DOCUMENT)
  expect(complaintOf('2', print(document))).toBe('')
})
