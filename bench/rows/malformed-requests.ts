import fc from 'fast-check'
import { ask } from '../../server/test/support/ask.ts'
import { settings, startFuzzedWorld } from '../../server/test/spec/hostile-input/arrange.ts'
import { type FuzzRequest, inputs } from '../../server/test/spec/hostile-input/inputs.ts'
import { type Judge, judgeAt } from '../../server/test/spec/hostile-input/send.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import type { BenchContext, Row } from '../harness/row.ts'
import { residentBytes } from '../processes/cpu-time.ts'
import { startService } from '../processes/service.ts'

const INPUTS = 1_000_000
const QUICK_INPUTS = 12_000
const SEED = 20_261_121
const BATCH = 250
const AT_ONCE = 32
const MEGABYTE = 1024 * 1024

export const row: Row = {
  name: 'T5',
  title: 'a million malformed documents, bodies, headers, cursors, tokens, forms, proofs and items',
  measures: [
    { title: 'answers with 5xx, or none', bound: '<=', limit: 0 },
    { title: 'crashes', bound: '<=', limit: 0 },
    { title: 'resident memory at the end, of that after a fifth', bound: '<=', limit: 1.2 },
    { title: 'inputs sent, of those planned', bound: '>=', limit: 1 },
  ],
  async run(context) {
    const planned = context.quick ? QUICK_INPUTS : INPUTS
    const database = await context.fresh('t5')
    const world = await startFuzzedWorld(asTestDatabase(database))
    const service = await startService(database, { pinned: false, settings })
    const { judge, close } = judgeAt(service.url)
    const resident = () => residentBytes(service.pid) / MEGABYTE
    try {
      const arbitraries = Object.entries(inputs(await world.target(service.url)))
      const rounds = Math.ceil(planned / (BATCH * arbitraries.length))
      const seen: Tally = { sent: 0, wrong: 0, statuses: new Map(), cutOff: new Map() }
      const sizes: number[] = []
      const perSecond = new Map<string, number[]>()
      for (let round = 0; round < rounds && service.child.exitCode === null; round++) {
        for (const [name, arbitrary] of arbitraries) {
          const started = performance.now()
          await sendAll(fc.sample(arbitrary, { numRuns: BATCH, seed: SEED + round }), judge, seen, context)
          perSecond.set(name, [...(perSecond.get(name) ?? []), BATCH / ((performance.now() - started) / 1000)])
        }
        sizes.push(resident())
        if (round % 10 === 0) context.say(`  ${seen.sent} of ${planned}, ${Math.round(sizes.at(-1) ?? 0)} MB`)
      }
      const crashed = service.child.exitCode !== null || service.child.signalCode !== null
      const { data } = await ask<{ __typename: string }>(service.url, '{ __typename }', {
        token: world.personas.business,
      })
      if (data.__typename !== 'Query') throw new Error('a good query is not answered any more')
      const fifth = Math.floor(sizes.length / 5)
      const early = median(sizes.slice(fifth, 2 * fifth + 1))
      const late = median(sizes.slice(-(fifth + 1)))
      return {
        values: [seen.wrong, crashed ? 1 : 0, late / early, seen.sent / planned],
        figures: [
          ...[...perSecond].map(([side, rates]) => ({ side, unit: '/s', rounds: rates })),
          { side: 'resident memory', unit: 'MB', rounds: sizes },
        ],
        notes: [
          `${seen.sent} requests over HTTP, as many of each kind, seed ${SEED} (the n-th batch of a kind: seed + n), ${AT_ONCE} at a time. Answers by status (0: cut off, for a reason: ${[...seen.cutOff].map(([why, count]) => `${why} ${count}`).join(', ') || 'none'}): ${[
            ...seen.statuses,
          ]
            .toSorted(([a], [b]) => a - b)
            .map(([status, count]) => `${status}: ${count}`)
            .join(', ')}.`,
        ],
      }
    } finally {
      close()
      await service.stop()
      await world.stop()
    }
  },
}

interface Tally {
  sent: number
  wrong: number
  statuses: Map<number, number>
  /** Those without an answer, by why there need not be one. */
  cutOff: Map<string, number>
}

async function sendAll(requests: FuzzRequest[], judge: Judge, seen: Tally, { say }: BenchContext): Promise<void> {
  const left = [...requests]
  const sender = async (): Promise<void> => {
    for (let request = left.pop(); request; request = left.pop()) {
      const { status, wrong, cutOff } = await judge(request)
      seen.sent++
      seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1)
      if (cutOff) seen.cutOff.set(cutOff, (seen.cutOff.get(cutOff) ?? 0) + 1)
      if (wrong === undefined) continue
      seen.wrong++
      if (seen.wrong <= 20) say(`  ${wrong}\n    ${fc.stringify(request).slice(0, 2_000)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
}

function asTestDatabase(database: BenchDatabase): NonNullable<Parameters<typeof startFuzzedWorld>[0]> {
  return {
    ...database,
    query: async <Rows>(text: string, values?: unknown[]) => (await database.pool.query(text, values)).rows as Rows[],
    drop: async () => {},
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
