import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { testPrograms } from '../test-programs.ts'

const text = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')

/** Programs of tests that `npm test` does not install with apt-get. */
const OTHERS = ["PostgreSQL's tools", 'the programs from npm']

const names = testPrograms.map(({ name }) => name.replace(/ .*/, ''))

it('installs each program whose tests are skipped without it, and CONTRIBUTING.md lists them', () => {
  const [, list = ''] = /Tests that need a missing program \(([^)]*)\)/.exec(text) ?? []
  const listed = list.split(', ').map((name) => name.replaceAll('`', ''))
  expect(listed.toSorted()).toEqual([...names, ...OTHERS].toSorted())
})

it('installs what CONTRIBUTING.md says', () => {
  const [, sentence = ''] = /`npm test` installs ([^.]*)\./.exec(text) ?? []
  for (const name of names) expect(sentence).toContain(name)
})
