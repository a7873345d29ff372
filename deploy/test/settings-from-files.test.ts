import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { settingTexts } from '../../server/src/command/config.ts'
import { secretFilter } from '../../server/src/command/mask.ts'
import { ConfigError, databaseSettings, loadConfig, withSettingFiles } from '../../server/src/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'questboard-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(text: string): string {
  const path = join(folder, String(Math.random()))
  writeFileSync(path, text)
  return path
}

const SECRET = 'a secret of at least thirty-two characters'

test('reads a setting from a file and trims it', () => {
  expect(loadConfig({ QUESTBOARD_SECRET_FILE: fileOf(`${SECRET}\n`) }).secret).toBe(SECRET)
  expect(loadConfig({ PORT_FILE: fileOf(' 4100 ') }).port).toBe(4100)
})

test.each([
  [
    'that is not there',
    { QUESTBOARD_SECRET_FILE: '/nowhere/secret' },
    'QUESTBOARD_SECRET cannot be read from /nowhere/secret',
  ],
  ['that is empty', { QUESTBOARD_SECRET_FILE: fileOf('\n') }, 'QUESTBOARD_SECRET is empty: no value in '],
  ['beside the setting itself', { PORT: '4000', PORT_FILE: fileOf('1') }, 'PORT and PORT_FILE are both set'],
  ['with a value that cannot be used', { PORT_FILE: fileOf('many') }, 'PORT must be a whole number from 0 to 65535'],
])('rejects a file %s, and names the setting', (_, environment, message) => {
  expect(() => loadConfig(environment)).toThrow(ConfigError)
  expect(() => loadConfig(environment)).toThrow(message)
})

test('does not read files of settings that a command does not use', () => {
  expect(loadConfig({ QUESTBOARD_SECRET_FILE: '/nowhere/secret' }, databaseSettings).secret).toBeUndefined()
})

test('masks settings from files like those from the environment', () => {
  const environment = {
    DATABASE_URL_FILE: fileOf('postgres://board:hunter22@db/board'),
    QUESTBOARD_SECRET_FILE: fileOf(SECRET),
  }
  const shown = settingTexts(environment).join('\n')
  expect(shown).toContain('DATABASE_URL=postgres://board:***@db/board  (from the file in DATABASE_URL_FILE)')
  expect(shown).not.toContain(SECRET)
  expect(secretFilter(withSettingFiles(environment))('hunter22 was refused')).toBe('*** was refused')
})
