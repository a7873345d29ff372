import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllowedHost } from '../../src/settings/hosts.ts'
import { isPublicOnly, sealedSources } from '../../src/sync/sealed-source.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { findSource } from '../../src/sync/sources.queries.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { type SyncFixture, syncFixture } from './arrange.ts'

let upstream: Upstream
let fixture: SyncFixture
beforeAll(async () => {
  upstream = await startUpstream((_, response) => void response.end(`0x${'1'.repeat(40)}`))
  fixture = await syncFixture(upstream)
})
afterAll(async () => {
  await fixture.close()
  await upstream.close()
})

/** Stores a source as if its host had become an internal one after it was set. */
const setByEditor = async (credSource: string, source: object) => {
  const { credential, deps } = fixture
  const id = await credential(undefined, { credSource })
  await setSource(deps, id, { ...source, url: 'https://lists.example/{address}' }, { forbiddenHosts: [] })
  return id
}

describe('a source that no operator has set', () => {
  it('may not name a host that operators allowed', async () => {
    const { credential, deps } = fixture
    const id = await credential()
    const forbiddenHosts = [parseAllowedHost('lists.example')].filter((host) => host !== undefined)
    const source = { kind: 'CSV', url: 'https://lists.example/all' }
    await expect(setSource(deps, id, source, { forbiddenHosts })).rejects.toThrow('is for sources of operators')
  })

  it('reaches no host that operators allowed, in runs and in queries', async () => {
    const { deps, run } = fixture
    const id = await setByEditor('CSV', { kind: 'CSV', format: 'text' })
    const sealed = (await findSource(deps.database.kysely, id))?.source
    expect(isPublicOnly(sealed)).toBe(true)
    await expect(run(id, { pause: async () => {} })).rejects.toThrow(/lists\.example/)
    await expect(
      deps.outgoing.publicOnly.send({ url: upstream.url, maxBytes: 1, timeout: 1_000 }, async () => {}),
    ).rejects.toThrow('not on the public Internet')
    const api = await setByEditor('API', { kind: 'API' })
    await expect(fixture.checks.live(api, 'x')).rejects.toThrow()
    expect(upstream.requests).toEqual([])
  })

  it('stays so when it is sealed again', async () => {
    const { deps } = fixture
    const id = await setByEditor('CSV', { kind: 'CSV' })
    const store = sealedSources(deps)
    for (const one of await store.list()) await one.replace(one.sealed)
    expect(isPublicOnly((await findSource(deps.database.kysely, id))?.source)).toBe(true)
  })
})
