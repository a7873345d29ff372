import { afterAll, expect, test } from 'vitest'
import { parseSource } from '../../src/sync/source.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { syncFixture } from './arrange.ts'

const fixture = await syncFixture()
afterAll(() => fixture.close())

const rest = { kind: 'REST', url: 'https://example.com/holders' }

test('a source gets the defaults that the documentation names', () => {
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
])('%s is refused', (_, source, message) => expect(() => parseSource(source)).toThrow(message))

test('a source must fit its credential', async () => {
  const { credential, deps } = fixture
  const handle = await credential(undefined, { credType: 'TWITTER' })
  const api = await credential(undefined, { credSource: 'API' })
  const asked = { kind: 'API', url: 'https://a/{address}' }
  const contract = { contract: `0x${'1'.repeat(40)}`, standard: 'ERC721', startBlock: 1 }
  const nft = { kind: 'CONTRACT_NFT_HOLDER', rpcUrl: 'https://a/', ...contract }
  await expect(setSource(deps, '999', rest)).rejects.toThrow('there is no credential 999')
  await expect(setSource(deps, 'x', rest)).rejects.toThrow('there is no credential x')
  await expect(setSource(deps, api, rest)).rejects.toThrow('kind: REST does not fit')
  await expect(setSource(deps, handle, asked)).rejects.toThrow('kind: API does not fit')
  await expect(setSource(deps, handle, nft)).rejects.toThrow('needs a credential whose credType is EVM_ADDRESS')
  const own = { kind: 'WALLET_BALANCE', rpcUrl: 'https://a/', minimum: '1', asset: { nativeOfHoldersOf: '999' } }
  await expect(setSource(deps, await credential(), own)).rejects.toThrow('must be the id of another credential')
})
