import fc from 'fast-check'
import { systemClock } from '../../server/src/clock.ts'
import { loadConfig } from '../../server/src/config.ts'
import { createServices } from '../../server/src/services.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { createOutgoing } from '../../server/src/outgoing/outgoing.ts'
import { systemRandom } from '../../server/src/random.ts'
import {
  fuzzSettings,
  type FuzzTarget,
  fuzzTargets,
  malformedProofs,
  type Outcome,
  outcomeOf,
  SEED,
  startFlowNode,
} from '../../server/test/identity/proof-fuzz.ts'
import type { Row } from '../harness/row.ts'

const PROOFS = 120_000
const QUICK_PROOFS = 2_000

export const row: Row = {
  name: 'F1',
  title: 'malformed proofs of every identity kind end in typed errors',
  measures: [
    { title: 'proofs that were accepted', bound: '<=', limit: 0 },
    { title: 'proofs that ended in another error', bound: '<=', limit: 0 },
    { title: 'malformed proofs sent, in those planned', bound: '>=', limit: 1 },
  ],
  async run(context) {
    const database = await context.fresh('f1')
    const node = await startFlowNode()
    const config = loadConfig({
      ...fuzzSettings(node),
      QUESTBOARD_PUBLIC_URL: 'https://id.questboard.test',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    })
    const outgoing = createOutgoing({ hosts: config.outgoingHosts })
    try {
      const deps = { config, clock: systemClock, random: systemRandom, log: silentLog, database, outgoing }
      const targets = await fuzzTargets(createServices(deps), node)
      const planned = context.quick ? QUICK_PROOFS : PROOFS
      const each = Math.ceil(planned / targets.length)
      const outcomes: Record<Outcome, number> = { typed: 0, accepted: 0, untyped: 0 }
      const rates = []
      for (const target of targets) {
        const started = performance.now()
        const found = await sendAll(target, each, context.say)
        for (const outcome of ['typed', 'accepted', 'untyped'] as const) outcomes[outcome] += found[outcome]
        rates.push({ side: target.name, unit: 'ms/proof', rounds: [(performance.now() - started) / each] })
        context.say(`  ${target.name}: ${each}`)
      }
      return {
        values: [
          outcomes.accepted,
          outcomes.untyped,
          (outcomes.typed + outcomes.accepted + outcomes.untyped) / planned,
        ],
        figures: rates,
        notes: [
          `${planned} proofs, ${each} of each kind, seed ${SEED}: half made of nothing (any value, keys and signatures of the right lengths in every encoding), half the genuine proof with one letter changed, cut, lengthened or replaced. Each goes through the kind's own verification; an answer is typed when it is an error of the API with status 400 to 404. Afterwards the genuine proof is accepted.`,
        ],
      }
    } finally {
      await outgoing.close()
      await node.close()
    }
  },
}

async function sendAll(
  target: FuzzTarget,
  count: number,
  say: (line: string) => void,
): Promise<Record<Outcome, number>> {
  const outcomes: Record<Outcome, number> = { typed: 0, accepted: 0, untyped: 0 }
  await fc.assert(
    fc.asyncProperty(malformedProofs(target), async (proof) => {
      const outcome = await outcomeOf(target, proof)
      outcomes[outcome]++
      if (outcome !== 'typed') say(`  ${outcome}: ${target.name} ${fc.stringify(proof)}`)
    }),
    { numRuns: count, seed: SEED },
  )
  if ((await outcomeOf(target, target.genuine)) !== 'accepted')
    throw new Error(`${target.name}: the genuine proof is refused`)
  return outcomes
}
