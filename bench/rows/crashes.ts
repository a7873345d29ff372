import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashFigures, runCrashes } from '../faults/crashes.ts'
import type { Row } from '../harness/row.ts'
import { embeddedVersion } from '../processes/server-versions.ts'

export const row: Row = {
  name: 'T2',
  title: 'kill -9 of the service and of PostgreSQL while imports and awards run',
  measures: [
    { title: 'acknowledged events lost', bound: '<=', limit: 0 },
    { title: 'events counted twice', bound: '<=', limit: 0 },
    { title: 'imports that were there in part', bound: '<=', limit: 0 },
    { title: 'chains and balances of the ledgers that differ from the boards', bound: '<=', limit: 0 },
  ],
  ownServer: embeddedVersion,
  async run({ quick, say }) {
    const dataDir = await mkdtemp(join(tmpdir(), 'questboard-crashes-'))
    const [serviceKills, databaseKills] = quick ? [6, 4] : [100, 20]
    try {
      const report = await runCrashes({ dataDir, serviceKills, databaseKills, members: 2_000, say })
      return {
        values: [report.lost, report.twice, report.torn, report.different],
        figures: crashFigures(report),
        notes: [
          `${serviceKills} kills of the service and ${databaseKills} of PostgreSQL, ${databaseKills / 2} of these together with the service, each up to 1.5 s after the service was there again; the command that imports is killed every second time. Four senders sent batches of 50 awards through \`POST /ingest/v1/awards\`, each until it was acknowledged, with the same keys; each import sets all points of a board to its number.`,
          'Lost and twice count members of the overall and the sprint board whose points are below or above the sum of their acknowledged awards.',
        ],
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  },
}
