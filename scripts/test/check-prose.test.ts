import { describe, expect, it } from 'vitest'
import { hardPlaces, passagesOf } from '../check-prose.ts'

describe('hardPlaces', () => {
  it('accepts plain sentences', () => {
    expect(hardPlaces('Returns 503 when the queue is full. The client that sent the request may retry.')).toEqual([])
  })

  it.each([
    'Who finds no place gets 503.',
    'the board is of who asks',
    'there is none',
    'the key stands in the file',
    'an event tells of it',
    'nobody reads it',
    'the token is made anew',
    'of each token only so many requests',
    'the one that was read',
    'a clock of its own',
    'the server answers 404',
  ])('finds one construction in "%s"', (text) => {
    expect(hardPlaces(text)).toHaveLength(1)
  })

  const passives = (name: string) => hardPlaces(name, 'beginnings of names of tests')

  it.each([
    'is refused if the name is empty',
    'are not written twice',
    'cannot be deleted',
    '%s is rejected',
    'attack 5: is logged once',
  ])('finds the passive at the beginning of the name "%s"', (name) => {
    expect(passives(name)).toHaveLength(1)
  })

  it.each([
    'is empty',
    'is public',
    'is read-only',
    'is unlimited',
    'is hidden',
    'are open to all',
    '%s is valid',
    'rejects a code that is used twice',
  ])('accepts the name "%s"', (name) => {
    expect(passives(name)).toEqual([])
  })
})

describe('passagesOf', () => {
  const read = (file: string, source: string) =>
    Object.fromEntries(
      passagesOf(file, source).map(([kind, passages]) => [kind, passages.map(({ text }) => text.trim())]),
    )

  it.each([
    ['deploy/Dockerfile', '# Builds the pages.\nRUN node', 'Builds the pages.'],
    ['clients/python/src/questboard/_a.py', '"""The client."""\nx = 1', 'The client.'],
    ['web/src/a.css', '/* Wide. */\na {}', 'Wide.'],
    ['deploy/a.yaml', "on: '# no' # Only the first.\ncolour: a#b", 'Only the first.'],
    ['clients/python/a.py', 'half = a // b  # Rounded down.\nname = f"# {half}"', 'Rounded down.'],
    ['deploy/a.sh', '#!/bin/sh\necho "${x#a} don\'t" # It\'s once.', "It's once."],
    ['deploy/a.env', 'PORT=4000 # The port.', 'The port.'],
    ['web/a.html', '<!-- Shown first. --><p>#</p>', 'Shown first.'],
    ['web/b.html', '<script src="https://a.b">\n  go() // Once.\n</script>', 'Once.'],
  ])('reads the comments of %s', (file, source, comment) => {
    expect(read(file, source)).toEqual({ 'comments of other files': [comment] })
  })

  it('reads no German texts, because the rules are about English words', () => {
    expect(read('web/src/texts/de/a.ts', "export const a = 'Der Stand der Liste ist neu'")).toEqual({})
  })

  it('separates comments from messages', () => {
    const source =
      "/** Counts `it`. */\nthrow new Error('the limit is higher than that') // why\nconst url = 'https://a.b'"
    expect(read('server/src/a.ts', source)).toEqual({
      'comments of the code': ['Counts X.', 'why'],
      messages: ['the limit is higher than that'],
    })
  })

  it('reads the names of tests', () => {
    expect(read('server/test/a.test.ts', "it('rejects a code', () => {}) // once")).toEqual({
      'names of tests': ['rejects a code'],
      'beginnings of names of tests': ['rejects a code'],
      'comments of tests': ['once'],
    })
  })

  it.each([
    "it.each(codes)('rejects a code', () => {})",
    "test.each<[string]>(['a'])('rejects a code', () => {})",
    "test.skipIf(!isCluster() || bin === '')('rejects a code', () => {})",
    "it.each([\n  'a',\n])('rejects a code', () => {})",
    "it.each([\n  'a',\n] as const)(\n  'rejects a code', () => {})",
  ])('reads the name in %j', (source) => {
    expect(read('server/test/a.test.ts', source)).toMatchObject({ 'names of tests': ['rejects a code'] })
  })

  it('leaves out code in Markdown', () => {
    expect(read('docs/a.md', 'Run `what lies` now.\n```sh\nnobody\n```')).toEqual({
      'manual and README': ['Run X now.'],
    })
  })
})
