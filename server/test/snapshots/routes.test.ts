import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { type Hex, recoverTypedDataAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { SIGNING_KEY_OVERLAP, STATEMENT_LIFETIME } from '../../src/lifetimes.ts'
import { silentLog } from '../../src/logging/log.ts'
import { snapshotJob } from '../../src/snapshots/job.ts'
import type { Snapshot } from '../../src/snapshots/snapshots.queries.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { ingestToken } from '../ingest-api/arrange.ts'
import { startService, type TestService } from '../support/service.ts'
import { evmAddress } from './arrange.ts'

const key = generatePrivateKey()
const ISSUER = 'https://board.example'
const settings = {
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  QUESTBOARD_STATEMENT_KEY: key,
  QUESTBOARD_PUBLIC_URL: ISSUER,
}
const A = evmAddress(1)
const OTHER_CHAIN = `0x${'ab'.repeat(32)}`

let service: TestService
let token: string
beforeAll(async () => {
  service = await startService({ settings })
  token = await ingestToken(service)
  const { deps } = service
  await importRecords(deps, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  await importRecords(deps, 'points', [
    { spaceId: 40, address: A, points: 5 },
    { spaceId: 40, address: evmAddress(2), points: 9 },
    { spaceId: 40, address: OTHER_CHAIN, points: 1 },
  ])
  await importRecords(deps, 'credentials', [{ id: '7', name: 'Seven', credType: 'EVM_ADDRESS', credSource: 'CSV' }])
  await importRecords(deps, 'holders', [{ credentialId: '7', address: A }])
})
afterAll(() => service.stop())

type Body = Partial<Snapshot> & { error?: { code: string; message: string; field?: string }; items?: Snapshot[] }

async function call(method: string, path: string, { body, as = token }: { body?: unknown; as?: string } = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(path.startsWith('/ingest') && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as Body }
}

async function sealed(request: object): Promise<string> {
  const { body, status } = await call('POST', '/ingest/v1/snapshots', { body: request })
  expect([status, body.state]).toEqual([202, 'waiting'])
  const now = service.clock.now()
  const signal = new AbortController().signal
  await snapshotJob({ ...service.deps, log: silentLog }).run({ now, agreedNow: async () => now, signal })
  return body.id ?? ''
}

describe('the ingest API', () => {
  it('counts without sealing', async () => {
    const { status, body } = await call('POST', '/ingest/v1/snapshots', { body: { spaceId: 40, dryRun: true } })
    expect([status, body]).toEqual([200, expect.objectContaining({ members: 3, points: '15', leaves: 2, leftOut: 1 })])
    expect((await call('GET', '/ingest/v1/snapshots')).body.items).toEqual([])
  })

  it('seals, lists, shows, downloads and deletes a snapshot', async () => {
    const id = await sealed({ spaceId: 40, note: ' Season 1 ' })
    const shown = (await call('GET', `/ingest/v1/snapshots/${id}`)).body
    expect(shown).toMatchObject({ id, note: 'Season 1', state: 'sealed', members: 3, public: false })
    expect((await call('GET', '/ingest/v1/snapshots?first=1')).body.items).toEqual([shown])
    const { headers, text } = await call('GET', `/ingest/v1/snapshots/${id}/download?format=airdrop`)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="snapshot-${id}-airdrop.csv"`)
    expect(text).toBe(`address,amount\n${evmAddress(2)},9\n${A},5\n`)
    expect((await call('GET', `/ingest/v1/snapshots/${id}/proof/${A}`)).body).toMatchObject({
      root: shown.root,
      rank: 2,
    })
    expect((await call('DELETE', `/ingest/v1/snapshots/${id}`)).body.error).toMatchObject({ field: 'confirm' })
    expect((await call('DELETE', `/ingest/v1/snapshots/${id}?confirm=${id}`)).status).toBe(200)
    expect((await call('GET', `/ingest/v1/snapshots/${id}`)).status).toBe(404)
    const events = await service.database.query(
      `SELECT event FROM security_events WHERE details ->> 'snapshot' = $1 ORDER BY happened_at, event`,
      [id],
    )
    expect(events).toEqual([{ event: 'snapshot.created' }, { event: 'snapshot.deleted' }])
  })

  it('names an unknown format of a download', async () => {
    const id = await sealed({ spaceId: 40 })
    const { status, body } = await call('GET', `/ingest/v1/snapshots/${id}/download?format=pdf`)
    expect([status, body.error]).toEqual([400, expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'format' })])
  })

  it('names the address that is not in a list, also if it is long', async () => {
    const id = await sealed({ spaceId: 40 })
    const { status, body } = await call('GET', `/ingest/v1/snapshots/${id}/statement/${'ä'.repeat(320)}`)
    expect([status, body.error?.field]).toEqual([404, 'address'])
  })

  it('restricts a token to its spaces and credentials', async () => {
    const id = await sealed({ spaceId: 40 })
    const as = await ingestToken(service, { spaces: [41] })
    expect((await call('POST', '/ingest/v1/snapshots', { body: { spaceId: 40 }, as })).status).toBe(403)
    expect((await call('POST', '/ingest/v1/snapshots', { body: { credentialId: '7' }, as })).status).toBe(403)
    expect((await call('GET', `/ingest/v1/snapshots/${id}`, { as })).status).toBe(404)
    expect((await call('GET', '/ingest/v1/snapshots', { as })).body.items).toEqual([])
  })

  it.each([
    [{ spaceId: 0 }, 400, 'spaceId'],
    [{ spaceId: 77 }, 404, 'spaceId'],
    [{ spaceId: 41 }, 409, undefined],
    [{ spaceId: 40, at: '2020-01-01T00:00:00Z' }, 400, 'at'],
  ])('rejects %j', async (body, status, field) => {
    const refused = await call('POST', '/ingest/v1/snapshots', { body })
    expect([refused.status, refused.body.error?.field]).toEqual([status, field])
  })
})

describe('a public snapshot', () => {
  let id: string
  beforeAll(async () => {
    id = await sealed({ spaceId: 40, public: true })
  })

  it('is open without a session, with its proofs, to scripts of all origins', async () => {
    const shown = await call('GET', `/api/snapshots/${id}`)
    expect([shown.status, shown.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    const proof = await call('GET', `/api/snapshots/${id}/proof/${A.toUpperCase().replace('0X', '0x')}`)
    expect([proof.status, proof.body]).toEqual([
      200,
      expect.objectContaining({ address: A, amount: '5', root: shown.body.root }),
    ])
  })

  it.each([
    ['0x12', 400, 'invalid_argument'],
    [evmAddress(9), 404, 'not_found'],
    [OTHER_CHAIN, 404, 'not_found'],
  ])('rejects a proof of %s', async (address, status, code) => {
    const refused = await call('GET', `/api/snapshots/${id}/proof/${address}`)
    expect([refused.status, refused.body.error?.code]).toEqual([status, code])
  })

  it('allows 600 reads a minute and network', async () => {
    service.clock.advance(60_000)
    const statuses: number[] = []
    for (let n = 0; n < 601; n++) statuses.push((await call('GET', `/api/snapshots/${id}`)).status)
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([600, 429])
    service.clock.advance(60_000)
  })
})

it('does not show a private snapshot', async () => {
  const id = await sealed({ spaceId: 40 })
  for (const path of ['', `/proof/${A}`, `/statement/${A}`])
    expect((await call('GET', `/api/snapshots/${id}${path}`)).status).toBe(404)
  expect((await call('GET', '/api/snapshots/1')).status).toBe(404)
})

interface Signed {
  text: string
  jwt: string
  eip712: { signer: string; signature: Hex; primaryType: string; message: Record<string, string> } | null
}

describe('a statement', () => {
  const statement = async (request: object, address = A) => {
    const id = await sealed({ ...request, public: true })
    return (await call('GET', `/api/snapshots/${id}/statement/${address}`)).body as unknown as Signed
  }
  const keys = async () => (await (await fetch(`${service.url}/oauth/jwks`)).json()) as JSONWebKeySet
  const verify = async (jwt: string) =>
    jwtVerify(jwt, createLocalJWKSet(await keys()), {
      issuer: ISSUER,
      typ: 'statement+jwt',
      currentDate: new Date(service.clock.now()),
    })
  const recover = ({ eip712 }: Signed) => recoverTypedDataAddress(eip712 as never)

  it('of a rank has signatures of the published keys and the key of the operator', async () => {
    const signed = await statement({ spaceId: 40 })
    const asOf = Math.floor(service.clock.now() / 1_000)
    expect(signed.text).toMatch(`${A} has rank 2 with 5 points in the space 40 as of `)
    const { payload } = await verify(signed.jwt)
    expect(payload).toMatchObject({ sub: A, space: '40', rank: 2, points: 5, as_of: asOf })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(STATEMENT_LIFETIME / 1_000)
    expect(signed.eip712?.message).toMatchObject({ account: A, spaceId: '40', sprintId: '0', rank: '2', points: '5' })
    expect(await recover(signed)).toBe(privateKeyToAccount(key).address)
    expect(signed.eip712?.signer).toBe(privateKeyToAccount(key).address.toLowerCase())
  })

  it('of a credential has a signature', async () => {
    const signed = await statement({ credentialId: '7' })
    expect(signed.text).toMatch(`${A} holds the credential 7 as of `)
    expect((await verify(signed.jwt)).payload).toMatchObject({ sub: A, credential: '7' })
    expect(await recover(signed)).toBe(privateKeyToAccount(key).address)
  })

  it('of an address of another chain is a JWT only', async () => {
    const signed = await statement({ spaceId: 40 }, OTHER_CHAIN)
    expect(signed.eip712).toBeNull()
    expect((await verify(signed.jwt)).payload.sub).toBe(OTHER_CHAIN)
  })

  it('expires before its key is withdrawn', () => {
    expect(STATEMENT_LIFETIME).toBeLessThan(SIGNING_KEY_OVERLAP)
  })
})

describe('questboard snapshot', () => {
  const run = (...args: string[]) =>
    questboard(['snapshot', ...args], {
      DATABASE_URL: urlOf(service.database.connection),
      QUESTBOARD_SECRET: settings.QUESTBOARD_SECRET,
    })

  it('asks before it seals, and seals with --yes', async () => {
    const asked = await run('create', '--space', '40')
    expect([asked.code, asked.stderr]).toEqual([
      1,
      expect.stringContaining('members 3; points 15; in the Merkle tree 2; left out 1'),
    ])
    expect(asked.stderr).toContain('Nothing was sealed: no terminal to ask for confirmation. Use --yes.')
    const { code, stdout } = await run('create', '--space', '40', '--note', 'Season 1', '--yes', '--json')
    const { id, digest, note } = JSON.parse(stdout) as Snapshot
    expect([code, note]).toEqual([0, 'Season 1'])
    const shown = (await run('show', id)).stdout
    expect(shown).toContain(`digest ${digest}`)
    expect(shown).toContain('Season 1')
    expect((await run('download', id, '--format', 'disperse')).stdout).toBe(`${evmAddress(2)},9\n${A},5\n`)
    expect(JSON.parse((await run('proof', id, A)).stdout)).toMatchObject({ address: A })
    expect(JSON.parse((await run('statement', id, A)).stdout)).toMatchObject({ address: A, eip712: null })
    expect((await run('delete', id, '--yes')).stdout).toBe(`Deleted the snapshot ${id}.\n`)
    expect(await run('show', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not exist') as string,
    })
  })

  it('rejects an unknown space', async () => {
    expect(await run('create', '--space', '77', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The space 77 does not exist.') as string,
    })
  })
})
