import { expect, it } from 'vitest'
import { labelsOf, wordOfDetail } from '../src/shell/word-of-detail.ts'

const words = {
  kinds: { Discord: 'Discord', mcp: 'AI clients' },
  details: { command: 'by a command' },
  flags: { isPublic: { true: 'shown on leaderboards' } },
}

it.each([
  ['kind', 'mcp', 'AI clients'],
  ['scopes', 'mcp', 'AI clients'],
  ['by', 'command', 'by a command'],
  ['isPublic', 'true', 'shown on leaderboards'],
  ['name', 'mcp', 'mcp'],
  ['name', 'command', 'command'],
  ['username', 'true', 'true'],
])('shows the detail %s with the value %s as %s', (name, value, shown) => {
  expect(wordOfDetail(name, value, words)).toBe(shown)
})

it.each(['__proto__', 'constructor', 'toString'])('shows %s as a text, because the log would not appear', (value) => {
  for (const name of ['name', 'how', 'isPublic', value]) expect(wordOfDetail(name, value, words)).toBe(value)
})

it('shows fields by the labels of their form, and others as they are', () => {
  const labels = { startTime: 'Start', types: { Drop: 'Drop' } }
  expect(labelsOf('startTime, types, __proto__', labels)).toBe('Start, types, __proto__')
})
