import { describe, expect, test } from 'vitest'
import { MAX_WIDTH } from '../../src/command/columns.ts'
import { settingTexts } from '../../src/command/config.ts'
import { masked, secretFilter } from '../../src/command/mask.ts'
import { loadConfig } from '../../src/config.ts'

describe('settings', () => {
  test('suggests the correct name for a misspelled setting, and ignores variables of other programs', () => {
    const unknownOf = (names: string[]) => loadConfig(Object.fromEntries(names.map((name) => [name, 'x']))).unknown
    const misspelled = ['QUESTBOARD_DATBASE', 'QUESTBOARD_SMPT_URL_FILE', 'QUESTBOARD_WORKERS', 'QUESTBOARD_ZZZZZZZZZ']
    expect(unknownOf(misspelled).map(({ meant }) => meant)).toEqual([
      'DATABASE_URL',
      'QUESTBOARD_SMTP_URL',
      'WORKERS',
      undefined,
    ])
    const otherPrograms = ['QUESTBOARD_TOKEN', 'QUESTBOARD_BENCH_DATA', 'QUESTBOARD_SERVICE_PORT_HTTP', 'WORKER']
    expect(unknownOf(otherPrograms)).toEqual([])
    const kubernetes = { QUESTBOARD_PORT: 'tcp://10.0.0.1:80', QUESTBOARD_API_PORT_4000_TCP_ADDR: '10.0.0.1' }
    expect(loadConfig(kubernetes).unknown).toEqual([])
  })
  test('wraps the meaning of each setting at 100 columns', () => {
    const meanings = settingTexts({}).flatMap((setting) => setting.split('\n').slice(1))
    expect(meanings.filter((line) => line.length > MAX_WIDTH || !line.startsWith('    '))).toEqual([])
    expect(meanings.join(' ').replaceAll(/ +/g, ' ')).toContain(
      'The service uses it in links. Default: http://localhost:PORT.',
    )
  })
  test('prints the default of an unset setting and the reason for it', () => {
    const lines = (environment: Record<string, string>) => settingTexts(environment, loadConfig(environment)).join('\n')
    const shown = lines({ PORT: '4100', WORKERS: '3', NODE_ENV: 'production' })
    expect(shown).toContain('QUESTBOARD_PUBLIC_URL=http://localhost:4100  (default: the address on this machine; ')
    expect(shown).toContain('WORKERS=3  (from the environment)')
    expect(shown).toContain(
      'QUESTBOARD_DATABASE_CONNECTIONS=4  (default: 24 connections divided by 3 workers, at least 1 and at most 4 for each)',
    )
    expect(shown).toContain('QUESTBOARD_DEMO=false  (default: NODE_ENV is production)')
    expect(lines({})).toMatch(/^WORKERS=\d+ {2}\(default: \d+ available cores?, at most 8 workers\)$/m)
  })
})

describe('questboard masks secrets', () => {
  const secrets = {
    DATABASE_URL: 'postgres://me:db%20password@db.example/x',
    DATABASE_NODE_URLS:
      'worker-1:5432=postgres://me:node-password-1@10.0.0.1/x, 10.0.0.2:5432=postgres://me@h/x?password=node-password-2,fd00::2:5433=postgres://me:node-password-3@[fd00::2]:5433/x',
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    QUESTBOARD_EVM_RPC: '1=https://rpc.example/v3/evm-key-1,10=https://rpc.example/?apikey=evm-key-2',
    QUESTBOARD_APTOS_NODE: 'https://aptos.example/aptos-key/v1',
    QUESTBOARD_FLOW_NODE: 'https://flow.example/?key=flow-key',
    QUESTBOARD_DISCORD_CLIENT_SECRET: 'discord-secret',
    QUESTBOARD_TELEGRAM_BOT_TOKEN: '123456:telegram-token',
    QUESTBOARD_SMTP_URL: 'smtps://me:smtp-password@mail.example',
  }
  const values = ['db%20password', 'at least thirty', 'evm-key-1', 'evm-key-2', 'aptos-key', 'flow-key']
  const nodes = ['node-password-1', 'node-password-2', 'node-password-3']
  const more = ['discord-secret', 'telegram-token', 'smtp-password', ...nodes]
  test('in the list of settings', () => {
    const shown = settingTexts(secrets).join('\n')
    for (const secret of [...values, ...more]) expect(shown).not.toContain(secret)
    expect(shown).toContain('QUESTBOARD_FLOW_NODE=https://flow.example/***')
  })
  test('in each URL of a node, which keeps its address', () => {
    const shown = (value: string) => masked('DATABASE_NODE_URLS', value)
    expect(shown(secrets.DATABASE_NODE_URLS)).toBe(
      'worker-1:5432=postgres://me:***@10.0.0.1/x, 10.0.0.2:5432=postgres://me@h/x?password=***,fd00::2:5433=postgres://me:***@[fd00::2]:5433/x',
    )
    expect(shown('worker-1:5432=postgres://me@h/x')).toBe('worker-1:5432=postgres://me@h/x')
    expect(shown('off')).toBe('off')
    // Of a password with a comma, no part is a URL.
    expect(shown('worker-1:5432=postgres://me:one,two@h/x')).toBe('worker-1:5432=***,***')
  })
  test('in messages of other programs', () => {
    const hide = secretFilter(secrets)
    const message = [...Object.values(secrets), 'db password'].join('\n')
    for (const secret of [...values, ...more, 'db password']) expect(hide(message)).not.toContain(secret)
    expect(hide('rpc.example answers 503')).toBe('rpc.example answers 503')
  })
})
