import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../manual/blocks.ts'

const MAX_DECISIONS = 40
const MAX_WORDS = 250

const folder = join(root, 'docs/decisions')
const names = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .toSorted()
const decisions = names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const sources = globSync(
  [
    '*.{md,js,ts}',
    '{bench,client,deploy,examples,scripts,server,web}/**/{*.{md,ts,tsx,mjs,sql,graphql},Dockerfile}',
    'docs/*.md',
    'docs/*/*.md',
  ],
  { cwd: root, exclude: ['**/node_modules/**', '**/dist/**', 'docs/decisions/**'] },
)
const titleOf = (text: string) => /^# (.+)\n/.exec(text)?.[1] ?? ''
const statusOf = (text: string) => /^- \*\*Status\*\*: (.+)$/m.exec(text)?.[1] ?? ''

test('decisions have numbers from 0001 without gaps', () => {
  expect(names.length).toBeGreaterThan(0)
  expect(names.length).toBeLessThanOrEqual(MAX_DECISIONS)
  expect(names.map((name) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1])).toEqual(
    names.map((_, index) => String(index + 1).padStart(4, '0')),
  )
})

test.each(decisions)('$name has a title, status, date, context, decision and consequences', ({ text }) => {
  expect(titleOf(text)).toMatch(/^[A-Z]/)
  expect(statusOf(text)).toMatch(/^(Accepted|Superseded by \[\d{4}\]\(\d{4}-[a-z0-9-]+\.md\))$/)
  expect(text).toMatch(/^- \*\*Date\*\*: \d{4}-\d\d-\d\d(, extended on \d{4}-\d\d-\d\d)?$/m)
  const [, ...sections] = text.split(/^## /m).map((section) => section.split('\n'))
  expect(sections.map(([heading]) => heading)).toEqual(['Context', 'Decision', 'Consequences'])
  for (const [heading, ...lines] of sections) expect(lines.join('').trim(), heading).not.toBe('')
})

test.each(decisions)('$name has at most 250 words outside of tables', ({ text }) => {
  const prose = text.split(/^## Context$/m)[1]?.replaceAll(/^\|.*$/gm, '') ?? ''
  expect(prose.match(/[A-Za-z0-9]\S*/g)?.length).toBeLessThanOrEqual(MAX_WORDS)
})

test('the index lists number, title and status of each decision', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const rows = [...index.matchAll(/^\| \[(\d{4})\]\((\S+)\) *\| (.+?) *\| (.+?) *\|$/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual(decisions.map(({ name, text }) => [name.slice(0, 4), name, titleOf(text), statusOf(text)]))
})

test('the index gives a reason for each dependency of the server, and for no other package', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8').split('## Dependencies of the server')[1] ?? ''
  const listed = [...index.matchAll(/^\| (`.+?) *\|/gm)].flatMap(([, cell = '']) => cell.match(/[^`, ]+/g) ?? [])
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect(listed.toSorted()).toEqual(Object.keys(dependencies).toSorted())
})

test('every mention of a decision in the repository names an existing file', () => {
  const broken: string[] = []
  let mentions = 0
  for (const file of [...decisions.map(({ name }) => `docs/decisions/${name}`), ...sources]) {
    const pattern = file.startsWith('docs/decisions/')
      ? /\]\((\d{4}[\w.-]*)/g
      : /decisions\/(\d{4}[a-z0-9-]*(?:\.md)?)/g
    for (const [, mention = ''] of readFileSync(join(root, file), 'utf8').matchAll(pattern)) {
      mentions++
      if (!names.some((name) => name === mention || name.startsWith(`${mention}-`))) broken.push(`${file}: ${mention}`)
    }
  }
  expect(mentions).toBeGreaterThan(10)
  expect(broken).toEqual([])
})

test('every relative link of a decision to another folder leads to a file', () => {
  for (const { name, text } of decisions)
    for (const [, path = ''] of text.matchAll(/\]\((\.\.\/[^)#\s]+)/g))
      expect(() => readFileSync(join(folder, path)), `${name}: ${path}`).not.toThrow()
})
