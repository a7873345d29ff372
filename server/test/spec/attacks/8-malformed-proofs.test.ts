import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  fuzzSettings,
  type FuzzTarget,
  fuzzTargets,
  malformedProofs,
  outcomeOf,
  SEED,
  startFlowNode,
} from '../../identity/proof-fuzz.ts'
import type { FlowNode } from '../../identity/upstreams/flow-node.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

// bench/rows/malformed-proofs.ts tests 100,000 and more.
const RUNS = 250

let service: SignInService
let node: FlowNode
let targets: FuzzTarget[]
beforeAll(async () => {
  node = await startFlowNode()
  service = await startSignIn({ settings: fuzzSettings(node) })
  targets = await fuzzTargets(service.services, node)
})
afterAll(async () => {
  await Promise.all([service.close(), node.close()])
})

const names = [
  ...['EVMAddress', 'SeiAddress by 0x', 'SeiAddress by sei1', 'InjectiveAddress', 'SolanaAddress', 'AptosAddress'],
  ...['FlowAddress', 'ServiceID', 'Telegram', 'Email'],
]
const targetOf = (name: string) => targets.find((target) => target.name === name) as FuzzTarget

test.each(names)(
  `returns a typed error for ${RUNS} malformed proofs of %s (seed ${SEED}), and accepts the genuine one`,
  async (name) => {
    const target = targetOf(name)
    await fc.assert(
      fc.asyncProperty(malformedProofs(target), async (proof) => {
        expect(await outcomeOf(target, proof)).toBe('typed')
      }),
      { numRuns: RUNS, seed: SEED },
    )
    expect(await outcomeOf(target, target.genuine)).toBe('accepted')
  },
)

test('rejects extra bytes after the signature of a passkey', async () => {
  const target = targetOf('ServiceID')
  const credential = target.genuine.credential as { response: { signature: string } }
  const longer = Buffer.concat([Buffer.from(credential.response.signature, 'base64url'), Buffer.from([0])])
  const response = { ...credential.response, signature: longer.toString('base64url') }
  expect(await outcomeOf(target, { credential: { ...credential, response } })).toBe('typed')
})

test('responds over HTTP with 4xx and a code, and creates no session', async () => {
  const browser = openBrowser(service.fastify)
  const csrf = await browser.csrfToken()
  const kinds = [
    { kind: 'EVMAddress', address: '0xbdaedec95d563fb05240d6e01821008454c24c36' },
    { kind: 'SolanaAddress' },
    { kind: 'AptosAddress' },
    { kind: 'FlowAddress' },
    { kind: 'ServiceID' },
    { kind: 'Telegram' },
  ]
  const bodies = fc.oneof(
    malformedProofs(targetOf('FlowAddress')),
    malformedProofs(targetOf('ServiceID')),
    fc.anything(),
  )
  for (const [n, body] of fc.sample(bodies, { numRuns: 150, seed: SEED }).entries()) {
    service.clock.advance(1_000)
    const headers = { 'x-csrf-token': csrf }
    const asked = await browser.send({
      ...{ method: 'POST', url: '/api/challenges', headers },
      body: { ...kinds[n % kinds.length], purpose: 'sign-in' },
    })
    const { id } = asked.json<{ id: string }>()
    const payload = toJson(body)
    const response = await service.fastify.inject({
      method: 'POST',
      url: `/api/challenges/${id}/proof`,
      headers: { ...headers, 'content-type': 'application/json', cookie: cookiesOf(browser.cookies) },
      payload,
    })
    expect([400, 401, 404], `${payload.slice(0, 500)} ${response.body}`).toContain(response.statusCode)
    expect(response.json()).toMatchObject({ error: { code: expect.stringMatching(/^[a-z_]+$/) as string } })
    expect(response.cookies.some(({ name }) => name.endsWith('session'))).toBe(false)
  }
})

const cookiesOf = (cookies: Map<string, string>) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

function toJson(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member)) ?? 'null'
    )
  } catch {
    return '{' // sends invalid JSON for a value that JSON cannot represent
  }
}
