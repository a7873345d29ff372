import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string) => readFile(join(import.meta.dirname, '../..', path), 'utf8')

test.each([
  ['QuestboardError', 'ErrorCode', 'client/src/errors.ts'],
  ['OAuthError', 'OAuthErrorCode', 'client/src/sign-in/oauth-error.ts'],
])('docs/client.md has cause and action of each code of %s', async (name, type, file) => {
  const [, union = ''] = new RegExp(`export type ${type} =([^]*?)\\n\\n`).exec(await read(file)) ?? []
  const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(10)
  const section = (await read('docs/client.md')).split(`### Codes of \`${name}\`\n`)[1]?.split(/^#/m)[0] ?? ''
  const rows = [...section.matchAll(/^\| `(\w+)` +\| [^|]*\S +\| [^|]*\S +\|$/gm)].map(([, code]) => code)
  expect(rows.toSorted()).toEqual(codes.toSorted())
})
