import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { MINUTE } from '../../../src/clock.ts'
import { importFile } from '../../../src/ingest/import-file.ts'
import { ImportRefusedError } from '../../../src/ingest/problems.ts'
import { ImportFileError } from '../../../src/ingest/source.ts'
import { ask } from '../../support/ask.ts'
import { OWNED_SPACE } from '../../support/fixture.ts'
import { startFuzzedWorld } from './arrange.ts'
import { files } from './files.ts'
import { inputs } from './inputs.ts'
import { judgeAt } from './send.ts'

// All runs begin with the same inputs, so that a change that has nothing to do with them does not fail. QUESTBOARD_FUZZ_SEED sets others.
// bench/rows/malformed-requests.ts sends a million.
const SEED = Number(process.env.QUESTBOARD_FUZZ_SEED ?? 20_261_130)
const RUNS = 300
/** A slow machine sends fewer inputs, but some of each kind. */
const TIME_MS = 400
const LEAST = 20

function inTime(): () => boolean {
  const end = performance.now() + TIME_MS
  let runs = 0
  return () => runs++ < LEAST || performance.now() < end
}

const world = await startFuzzedWorld()
const { judge, close } = judgeAt(world.url)
const target = await world.target(world.url)
const all = inputs(target)
// Limits per minute would refuse the requests of a test because of those before it.
beforeEach(() => world.clock.advance(MINUTE))
afterAll(async () => {
  close()
  await world.stop()
})

test.each(Object.keys(all))(`responds to malformed %s without a 5xx (seed ${SEED})`, async (name) => {
  const goesOn = inTime()
  await fc.assert(
    fc.asyncProperty(all[name] as (typeof all)[string], async (request) => {
      if (!goesOn()) return
      expect((await judge(request)).wrong).toBeUndefined()
    }),
    { seed: SEED, numRuns: RUNS },
  )
})

test(`imports malformed files or rejects them with a reason (seed ${SEED})`, async () => {
  const goesOn = inTime()
  await fc.assert(
    fc.asyncProperty(files, async (bytes) => {
      if (!goesOn()) return
      const imported = importFile(world.deps, '-', { standardInput: Readable.from([bytes]) })
      const problem = await imported.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (problem instanceof ImportFileError || problem instanceof ImportRefusedError) return
      expect(problem).toBeUndefined()
    }),
    { seed: SEED, numRuns: RUNS },
  )
})

test('keeps the session and the space of the caller, so that requests pass the checks of rights', async () => {
  const headers = target.owner.credentials['session'] ?? {}
  const get = async (path: string): Promise<unknown> => (await fetch(world.url + path, { headers })).json()
  expect(await get('/api/session')).toMatchObject({ account: { operator: true } })
  expect(await get(`/api/spaces/${OWNED_SPACE}`)).toMatchObject({ spaceId: OWNED_SPACE })
})

test('serves requests normally after the malformed input', async () => {
  const { data } = await ask(world.url, '{ quest(id: "GCactive01") { id } }', { token: world.personas.business })
  expect(data).toEqual({ quest: { id: 'GCactive01' } })
})
