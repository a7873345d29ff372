import { setTimeout as sleep } from 'node:timers/promises'
import { DURABLE, startCitusNodes, type CitusNodes } from '../../server/test/support/citus-nodes.ts'

/** How often Citus ends transactions that a crash left prepared, as docs/scale.md advises. */
const RECOVERY = 'citus.recover_2pc_interval = 5s\n'

const MAX_RECOVERY_MS = 60_000

/** The folder of the programs of a PostgreSQL with Citus. */
export function citusPrograms(): string {
  const bin = process.env['TEST_CITUS_BIN']
  if (bin === undefined) throw new Error('TEST_CITUS_BIN does not name the programs of a PostgreSQL with Citus')
  return bin
}

/** A durable coordinator with two workers, which a row can kill and freeze. */
export function startDurableNodes(): Promise<CitusNodes> {
  return startCitusNodes({ bin: citusPrograms(), settings: `${DURABLE}${RECOVERY}` })
}

/** How many transactions are still prepared after a minute. */
export async function countLeftPrepared(prepared: () => Promise<readonly string[]>): Promise<number> {
  const from = performance.now()
  for (;;) {
    const { length } = await prepared()
    if (length === 0 || performance.now() - from > MAX_RECOVERY_MS) return length
    await sleep(500)
  }
}
