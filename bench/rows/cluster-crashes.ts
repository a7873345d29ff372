import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { citusServer } from '../faults/crash-servers.ts'
import { crashFigures, runCrashes } from '../faults/crashes.ts'
import type { Row } from '../harness/row.ts'
import { citusVersion } from '../processes/server-versions.ts'

/** The awarded spaces are on both workers, and so are the imported ones. */
const SPACES = 8
const MEMBERS = 250
/** Enough for an import. */
const MAX_LIFETIME_MS = 4_000

export const row: Row = {
  name: 'T2c',
  title: 'kill -9 of the service and of the nodes of a Citus cluster while imports and awards run',
  measures: [
    { title: 'acknowledged events lost', bound: '<=', limit: 0 },
    { title: 'events counted twice', bound: '<=', limit: 0 },
    { title: 'imports that were there in part', bound: '<=', limit: 0 },
    { title: 'chains and balances of the ledgers that differ from the boards', bound: '<=', limit: 0 },
    { title: 'prepared transactions that are left at the end', bound: '<=', limit: 0 },
  ],
  ownServer: citusVersion,
  async run({ quick, say }) {
    const dataDir = await mkdtemp(join(tmpdir(), 'questboard-crashes-'))
    const [serviceKills, databaseKills] = quick ? [3, 6] : [60, 60]
    try {
      const server = await citusServer()
      const plan = {
        dataDir,
        server,
        serviceKills,
        databaseKills,
        spaces: SPACES,
        members: MEMBERS,
        maxLifetimeMs: MAX_LIFETIME_MS,
        say,
      }
      const report = await runCrashes(plan)
      return {
        values: [report.lost, report.twice, report.torn, report.different, report.prepared],
        figures: crashFigures(report),
        notes: [
          `${serviceKills} kills of the service and ${databaseKills} of the coordinator and two workers in turn, ${databaseKills / 2} of these together with the service. A killed node starts again within 3 s, and the next kill comes up to 4 s after recovery; the command that imports is killed every second time. Four senders sent batches of 50 awards to ${SPACES} spaces at once, each until it was acknowledged, with the same keys; each import sets all points of ${SPACES} other boards to its number.`,
          'Lost and twice count members of the overall and the sprint boards whose points are below or above the sum of their acknowledged awards. An import is there in part if a board has points of two imports, or if the ledgers of some boards have it and others do not.',
        ],
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  },
}
