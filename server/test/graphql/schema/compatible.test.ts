import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { specifiedSchema } from './specified-schema.ts'

/** In a separate process, because graphql-inspector has to load the same copy of `graphql` as the script. */
const COMPARE = `
  import { buildSchema } from 'graphql'
  import { diff } from '@graphql-inspector/core'
  import { text } from 'node:stream/consumers'
  const [from, to] = JSON.parse(await text(process.stdin)).map((sdl) => buildSchema(sdl))
  const changes = await diff(from, to)
  console.log(JSON.stringify(changes.map(({ path, criticality }) => [path, criticality.level])))`

/** The changes from the schema of the specification, as graphql-inspector sees them. */
function changesTo(sdl: string): { breaking: string[]; others: string[] } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', COMPARE], {
    cwd: import.meta.dirname,
    input: JSON.stringify([specifiedSchema, sdl]),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const changes = JSON.parse(stdout) as [path: string, level: string][]
  const { breaking = [], others = [] } = Object.groupBy(changes, ([, level]) =>
    level === 'BREAKING' ? 'breaking' : 'others',
  )
  const pathsOf = (some: typeof changes) => some.map(([path]) => path)
  return { breaking: pathsOf(breaking), others: pathsOf(others) }
}

const published = readFileSync(join(import.meta.dirname, '../../../../schema.graphql'), 'utf8')

it('only adds to the schema of the specification', () => {
  const { breaking, others } = changesTo(published)
  expect(breaking).toEqual([])
  expect(others).toContain('Space.sprints')
})

it.each([
  ['a removed field', '  loyaltyPoints: Int!', '  points: Int!', 'Quest.loyaltyPoints'],
  ['a required argument', 'campaignId: ID\n', 'campaignId: ID!\n', 'Credential.eligible.campaignId'],
  ['a field that can be null', '  name: String!\n\n  """Description; null', '  name: String\n\n  """Description; null', 'Space.name'], // prettier-ignore
])('breaks the schema of the specification by %s', (_, part, changed, path) => {
  expect(published).toContain(part)
  expect(changesTo(published.replace(part, changed)).breaking).toEqual([path])
})
