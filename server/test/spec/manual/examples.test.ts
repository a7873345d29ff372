import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiCodes, oauthCodes, queryCodes } from '../../../src/error-codes.ts'
import { faultCodes } from '../../../src/texts/faults.ts'
import { manualPages } from '../../../../manual/contents.ts'
import { sdl } from '../../../src/graphql/schema.ts'
import { schemaPage } from '../../../../scripts/schema-page.ts'

const root = join(import.meta.dirname, '../../../..')
const text = (file: string) => readFile(join(root, file), 'utf8')

const pages = await Promise.all(manualPages.map(async ({ file }) => ({ file, markdown: await text(file) })))

interface Excerpt {
  file: string
  code: string
}

/** A block that begins with a comment that names a file is an excerpt of that file. */
function excerpts(markdown: string): Excerpt[] {
  const blocks = markdown.matchAll(
    /```(?:ts|js|html|nginx|yaml|ini)\n(?:\/\/ |<!-- |# )((?:examples|docs|deploy)\/\S+\.\w+)(?: -->)?\n([\s\S]*?)```/g,
  )
  return [...blocks].map(([, file = '', code = '']) => ({ file, code }))
}

/** The formatter reformats code in Markdown, so white space does not count. */
const dense = (code: string) => code.replace(/\s+/g, '')

describe.each(pages.filter(({ markdown }) => excerpts(markdown).length > 0))('$file', ({ markdown }) => {
  test.each(excerpts(markdown))('shows an excerpt of $file', async ({ file, code }) => {
    expect(dense(await text(file))).toContain(dense(code))
  })
})

test('the guides show excerpts of the example apps', () => {
  expect(pages.flatMap(({ markdown }) => excerpts(markdown)).length).toBeGreaterThan(7)
})

test('docs/schema.md matches the schema (else: npm run generate)', async () => {
  expect(await text('docs/schema.md')).toBe(await schemaPage(sdl))
})

describe('docs/errors.md', () => {
  const rows = (markdown: string) =>
    [...markdown.matchAll(/^\| `([^`]+)` +\| `(\w+)` +\| (\S*)/gm)].map(([, first, second, third]) => [
      first,
      second,
      third,
    ])

  test('lists each code with its category and status', async () => {
    const listed = rows(await text('docs/errors.md')).filter(([code = '']) => code in queryCodes)
    const catalogue = Object.entries(queryCodes).map(([code, { category, status }]) => [code, category, String(status)])
    expect(listed.toSorted()).toEqual(catalogue.toSorted())
  })

  test('lists each other code of the JSON API with its status', async () => {
    const [, section = ''] = (await text('docs/errors.md')).split(/^## (?:Codes|Invalid fields) of the JSON API$/m)
    const listed = [...section.matchAll(/^\| `(\w+)` +\| (\d+) /gm)].map(([, code, status]) => [code, Number(status)])
    expect(listed).toEqual(Object.entries(apiCodes).filter(([code]) => !(code.toUpperCase() in queryCodes)))
  })

  test('lists each code of an invalid field with its parameters', async () => {
    const [, section = ''] = (await text('docs/errors.md')).split('## Invalid fields of the JSON API')
    const listed = [...section.matchAll(/^\| `(\w+)` +\|([^|]*)\|/gm)].map(([, code, parameters = '']) => [
      code,
      [...parameters.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    ])
    expect(Object.fromEntries(listed)).toEqual(faultCodes)
  })

  test('lists each message', async () => {
    const markdown = await text('docs/errors.md')
    const source = await text('server/src/errors.ts')
    const calls = source.matchAll(/(?:ServiceError\('[A-Z_]+', |notFound\(|invalidArgument\()(['`])([A-Z][^'`$]*)/g)
    const messages = [...calls].map(([, , message = '']) => message.trim())
    expect(messages.length).toBeGreaterThan(20)
    for (const message of messages) expect(markdown).toContain(`\`${message.replace(/ "$/, ' "')}`)
  })
})

test('docs/oauth.md lists each code of the OAuth endpoints, with its status if the response has one', async () => {
  const markdown = await text('docs/oauth.md')
  const codesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code)
  const ofEndpoints = [...markdown.matchAll(/^\| (\d{3}(?:, \d{3})*) +\| ([^|]*) \|/gm)].flatMap(
    ([, statuses = '', cell]) => codesIn(cell).map((code) => ({ code, statuses: statuses.split(', ').map(Number) })),
  )
  const [, redirects = ''] = markdown.split('Other errors of the request are returned to the redirect URI')
  const ofRedirects = [
    ...redirects
      .split(/^## /m, 1)
      .join()
      .matchAll(/^\| ([^|]*) \|/gm),
  ]
    .slice(1) // The heading of the table.
    .flatMap(([, cell]) => codesIn(cell))
  const listed = new Set([...ofEndpoints.map(({ code }) => code), ...ofRedirects])
  expect([...listed].toSorted()).toEqual(Object.keys(oauthCodes).toSorted())
  for (const [code, status] of Object.entries(oauthCodes)) {
    const statuses = ofEndpoints.filter((one) => one.code === code).flatMap((one) => one.statuses)
    if (statuses.length > 0) expect(statuses, code).toContain(status)
  }
})

test('pages use only existing options of questboard', async () => {
  // docs/cli.md is generated from the commands.
  for (const { file, markdown } of pages.filter(({ file }) => file !== 'docs/cli.md'))
    for (const [, line = ''] of markdown.replace(/\\\n\s*/g, '').matchAll(/^(?:bin\/)?questboard ([a-z][^\n#]*)/gm)) {
      const [command = ''] = line.split(' ')
      const source = await text(`server/src/command/${command}.ts`).catch(() => '')
      expect(source, `${file}: questboard ${line}`).not.toBe('')
      for (const [, option] of line.matchAll(/(--[a-z-]+)/g)) expect(source, `${file}: ${line}`).toContain(option)
    }
})
