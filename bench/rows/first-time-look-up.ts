import type { Row } from '../harness/row.ts'
import { BY_HAND, compareFirstTime, CONNECTIONS, newLookups } from '../load/compare-first-time.ts'
import { PINNING } from '../processes/cores.ts'

const LOOKUPS = 40_000

export const row: Row = {
  name: 'S3',
  title: 'first look-up of an address in a credential of 10,000,000 holders',
  measures: [{ title: 'requests/s in those of a handler written by hand with the same SQL', bound: '>=', limit: 0.9 }],
  async run(context) {
    const database = await context.reading()
    const lookups = await newLookups(database, context, LOOKUPS)
    const [compared] = await compareFirstTime(database, context.rounds, [BY_HAND], [lookups])
    return {
      values: compared?.values ?? [],
      figures: compared?.figures ?? [],
      notes: [
        `${lookups.count} addresses a round, half of them holders, ${CONNECTIONS} connections, one process a side; three rounds before them warm up. The reference runs one prepared and named statement on a pool of 8 connections of pg; no GraphQL, token, quota or log, and it does not look whether the credential exists.`,
        PINNING,
      ],
    }
  },
}
