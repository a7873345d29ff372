import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { authorizationProbes, type Probe } from './authorization-probes.ts'
import { differences } from './differences.ts'
import { providerTarget } from './provider-target.ts'
import { questboardTarget } from './questboard-target.ts'
import type { Target } from './target.ts'
import { resourceProbes, tokenProbes } from './token-probes.ts'

// Runs the same attack script against this service and `oidc-provider`. differences.ts lists the expected differences.
// A new or missing difference fails.
let service: SignInService
let ours: Target
let theirs: Awaited<ReturnType<typeof providerTarget>>
const muteConsole = () => {
  // oidc-provider prints its insecure defaults to the console.
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
}
beforeEach(muteConsole)
beforeAll(async () => {
  muteConsole()
  service = await startListening()
  ;[ours, theirs] = await Promise.all([questboardTarget(service), providerTarget()])
})
afterAll(async () => {
  await Promise.all([service.close(), theirs.close()])
})

const areas: Record<string, Record<string, Probe>> = {
  authorization: authorizationProbes,
  token: tokenProbes,
  resource: resourceProbes,
}

describe.each(Object.keys(areas))('%s', (area) => {
  const probes = areas[area] as Record<string, Probe>
  test.each(Object.keys(probes))('%s', async (name) => {
    const probe = probes[name] as Probe
    const [actual, reference] = [await probe(ours), await probe(theirs)]
    const known = differences[`${area}: ${name}`]
    expect({ ours: actual, theirs: reference }).toEqual({
      ours: known?.ours ?? actual,
      theirs: known?.theirs ?? actual,
    })
    if (known) expect(actual, 'the listed outcomes are equal').not.toBe(reference)
  })
})

test('lists only existing probes, and the decision has their numbers', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../../docs/decisions/0020-compare-with-oidc-provider.md'),
    'utf8',
  )
  const probes = Object.values(areas).flatMap((area) => Object.keys(area)).length
  const different = Object.keys(differences).length
  expect(page).toContain(`${probes} probes`)
  expect(page).toContain(`They agree in ${probes - different}.`)
  for (const key of Object.keys(differences)) {
    const [area = '', ...name] = key.split(': ')
    expect(Object.keys(areas[area] ?? {}), key).toContain(name.join(': '))
  }
})
