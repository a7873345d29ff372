import { afterAll, expect, test } from 'vitest'
import { parseSource } from '../../src/sync/source.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { syncFixture } from './arrange.ts'

const fixture = await syncFixture()
afterAll(() => fixture.close())

const rest = { kind: 'REST', url: 'https://example.com/holders' }

const discord = { kind: 'DISCORD_MEMBER', guildId: '197038439483310086', botToken: 'token' }
const github = { kind: 'GITHUB_CONTRIBUTOR', repository: 'octocat/hello-world', token: 'token' }
const telegram = { kind: 'TELEGRAM_MEMBER', chat: '@questboard', botToken: '123456:ABC-DEF1234ghIkl' }

test('has the documented defaults', () => {
  expect(parseSource(rest)).toEqual({
    ...rest,
    everySeconds: 3_600,
    mostRemoved: 0.5,
    invalid: 'refuse',
    maxPages: 10_000,
    format: 'json',
    list: '',
    address: '',
    column: 'address',
  })
})

test.each<[string, object, RegExp]>([
  ['an unknown kind', { kind: 'FTP' }, /kind: /],
  ['an unknown setting', { ...rest, pages: 3 }, /pages/],
  ['another scheme', { ...rest, url: 'ftp://a/b' }, /url: must be an absolute http or https URL/],
  ['credentials in the URL', { ...rest, url: 'https://a:b@c/' }, /url: must be an absolute http or https URL/],
  ['a pointer that is none', { ...rest, list: 'data.holders' }, /list: must be a JSON pointer/],
  ['a header in capitals', { ...rest, headers: { Authorization: 'x' } }, /must have header names in lower case/],
  ['a header with a line break', { ...rest, headers: { a: 'b\r\nc: d' } }, /must have values in ASCII/],
  ['the host header', { ...rest, headers: { host: 'x' } }, /must not set host/],
  ['runs every second', { ...rest, everySeconds: 1 }, /everySeconds: /],
  ['a way of paging that is none', { ...rest, next: { scroll: 1 } }, /next: must be one of {"page"/],
  ['an API without {address}', { kind: 'API', url: 'https://a/b' }, /url: must contain \{address\}/],
  ['an API whose host is the address', { kind: 'API', url: 'https://{address}.a/b' }, /host is fixed/],
  [
    'a contract that is none',
    { kind: 'CONTRACT_NFT_HOLDER', rpcUrl: 'https://a/', contract: '0x1', standard: 'ERC721', startBlock: 1 },
    /contract: must be an EVM address/,
  ],
  [
    'a minimum as a number',
    { kind: 'WALLET_BALANCE', rpcUrl: 'https://a/', minimum: 1, asset: { nativeOfHoldersOf: '1' } },
    /minimum: /,
  ],
  ['a server of Discord that is none', { ...discord, guildId: 'my server' }, /guildId: must be an id of Discord/],
  ['a role of Discord that is none', { ...discord, roleId: '1' }, /roleId: must be an id of Discord/],
  ['a bot token with a line break', { ...discord, botToken: 'a\nb' }, /botToken: must be 1 to 500 ASCII characters/],
  ['Discord without a token', { kind: 'DISCORD_MEMBER', guildId: discord.guildId }, /botToken: is missing/],
  ['a repository that is none', { ...github, repository: 'octocat' }, /repository: must be OWNER\/NAME/],
  ['a repository that leaves the path', { ...github, repository: 'octocat/..' }, /repository: must be OWNER\/NAME/],
  ['more commits than one page', { ...github, minimum: 101 }, /minimum: must be at most 100/],
  [
    'a proposal and a space',
    { kind: 'SNAPSHOT_ORG', proposal: '0x1', space: 'ens.eth' },
    /proposal: must be set if space is not set/,
  ],
  ['neither proposal nor space', { kind: 'SNAPSHOT_ORG' }, /proposal: must be set if space is not set/],
  ['a chat that is none', { ...telegram, chat: 'my group' }, /chat: must be @name/],
  ['a Telegram token that is none', { ...telegram, botToken: 'x' }, /botToken: must be a bot token/],
  [
    'a mint that is none',
    { kind: 'SOLANA_TOKEN_HOLDER', rpcUrl: 'https://a/', mint: 'x' },
    /mint: must be the address/,
  ],
  ['a domain with a path', { kind: 'EMAIL_DOMAIN', domains: ['example.org/x'] }, /domains.0: must be a domain/],
  ['a domain in capitals', { kind: 'EMAIL_DOMAIN', domains: ['Example.org'] }, /domains.0: must be a domain/],
  ['no domain', { kind: 'EMAIL_DOMAIN', domains: [] }, /domains: must be at least 1 elements/],
])('rejects %s', (_, source, message) => expect(() => parseSource(source)).toThrow(message))

test('rejects a source that does not fit its credential', async () => {
  const { credential, deps } = fixture
  const handle = await credential(undefined, { credType: 'TWITTER' })
  const api = await credential(undefined, { credSource: 'API' })
  const asked = { kind: 'API', url: 'https://a/{address}' }
  const contract = { contract: `0x${'1'.repeat(40)}`, standard: 'ERC721', startBlock: 1 }
  const nft = { kind: 'CONTRACT_NFT_HOLDER', rpcUrl: 'https://a/', ...contract }
  await expect(setSource(deps, '999', rest)).rejects.toThrow('unknown credential 999')
  await expect(setSource(deps, 'x', rest)).rejects.toThrow('unknown credential x')
  await expect(setSource(deps, api, rest)).rejects.toThrow('kind: REST does not fit')
  await expect(setSource(deps, handle, asked)).rejects.toThrow('kind: API does not fit')
  await expect(setSource(deps, handle, nft)).rejects.toThrow('needs a credential whose credType is EVM_ADDRESS')
  const domain = { kind: 'EMAIL_DOMAIN', domains: ['example.org'] }
  await expect(setSource(deps, handle, domain)).rejects.toThrow('kind: EMAIL_DOMAIN does not fit')
  await expect(setSource(deps, handle, telegram)).rejects.toThrow('kind: TELEGRAM_MEMBER does not fit')
  await expect(setSource(deps, handle, discord)).rejects.toThrow('needs a credential whose credType is DISCORD')
  await expect(setSource(deps, handle, github)).rejects.toThrow('needs a credential whose credType is GITHUB')
  const own = { kind: 'WALLET_BALANCE', rpcUrl: 'https://a/', minimum: '1', asset: { nativeOfHoldersOf: '999' } }
  await expect(setSource(deps, await credential(), own)).rejects.toThrow('must be the id of another credential')
})
