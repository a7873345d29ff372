import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { connectionOf } from '../../src/database/connection-url.ts'
import { remedyOf } from '../../src/database/explain-unusable.ts'

it.each([
  ['postgres://u:secret#1@h/db', 'has "#" in its password: write it as %23'],
  ['postgres://u:12#secret@h/db', 'has "#" in its password: write it as %23'],
  ['postgres://u:secret/1@h/db', 'has "/" in its password: write it as %2F'],
  ['postgres://u:secret%x@h/db', 'has "%" in its password: write it as %25'],
  ['postgres://u@/db?host=/run/postgresql', 'has a user and no host: write user@localhost'],
  ['postgres://u:secret@h/db?sslmode=on', 'has the unknown sslmode "on"; allowed: disable, prefer, require,'],
  ['mysql://u:secret@h/db', 'must be a URL such as postgres://'],
])('refuses %s without showing the password', (url, why) => {
  const load = () => loadConfig({ DATABASE_URL: url })
  expect(load).toThrow(`DATABASE_URL ${why}`)
  expect(load).toThrow(/^(?![\s\S]*secret)/)
})

it.each([
  'postgres://u:p%23x@h:5432/db',
  'postgres://u:p@x@h/db',
  'postgresql://u@localhost/db?host=/run/postgresql',
  'postgres:///db?host=/run/postgresql',
  'postgres://u@h/db?sslmode=require',
])('accepts %s', (url) => {
  expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
})

it.each(['prefer', 'require', 'verify-ca'])('verifies certificates in the mode %s without a warning', (mode) => {
  expect(connectionOf(`postgres://u@h/db?sslmode=${mode}`)).toEqual({
    connectionString: 'postgres://u@h/db?sslmode=verify-full',
  })
  const compatible = `postgres://u@h/db?sslmode=${mode}&uselibpqcompat=true`
  expect(connectionOf(compatible)).toEqual({ connectionString: compatible })
})

it.each([
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', /requires a password/],
  ['The server does not support SSL connections', /Remove sslmode/],
  ['self-signed certificate in certificate chain', /sslrootcert=FILE/],
])('names what to do about "%s"', (message, remedy) => {
  expect(remedyOf(new Error(message))).toMatch(remedy)
})

// docs/database-urls.md
const page = readFileSync(join(import.meta.dirname, '../../../docs/database-urls.md'), 'utf8')

it('accepts each URL of the manual', () => {
  const urls = page.match(/^postgres:\/\/.*$/gm)?.map((url) => url.replace('PORT', '5432')) ?? []
  expect(urls).toHaveLength(3)
  for (const url of urls) expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
})

it('escapes a password with the command of the manual', () => {
  const command = /^node --print .*$/m.exec(page)?.[0] ?? ''
  const escaped = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim()
  expect(page).toContain(`It prints \`${escaped}\``)
  expect(loadConfig({ DATABASE_URL: `postgres://u:${escaped}@h/db` }).databaseUrl).toContain(escaped)
})

it('refuses each unescaped character that the manual lists', () => {
  for (const [, character, code] of page.matchAll(/^\| `(.)` +\| `(%..)` \|$/gm))
    expect(() => loadConfig({ DATABASE_URL: `postgres://u:secret${character}zz@h/db` })).toThrow(`write it as ${code}`)
})

it('gives the remedies that the manual names', () => {
  const remedies = ['3D000', '28P01'].map((code) => remedyOf(Object.assign(new Error('refused'), { code })))
  for (const remedy of remedies) expect(page).toContain(remedy?.split(/,| in DATABASE/)[0])
})
