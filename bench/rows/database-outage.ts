import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flakyNetwork } from '../../server/test/support/flaky-network.ts'
import { smallDisk } from '../../server/test/support/small-disk.ts'
import { openBenchDatabase, urlOf } from '../data/bench-database.ts'
import { databaseSite } from '../faults/database-site.ts'
import { type Fault, OUTAGE_MEASURES, OUTAGE_SECONDS, runOutages } from '../faults/outages.ts'
import type { Row } from '../harness/row.ts'
import { embeddedVersion } from '../processes/server-versions.ts'

const SPACE = 40
/** All of PostgreSQL, its log included; the log is kept short so that the disk is full only when it is made full. */
const DISK_MB = 1_500
const SHORT_LOG = { max_wal_size: '256MB' }

export const row: Row = {
  name: 'T7',
  title: 'PostgreSQL gone for 30 s: killed, frozen, its network cut, its network swallowing everything, its disk full',
  measures: OUTAGE_MEASURES,
  ownServer: embeddedVersion,
  async run({ quick, say }) {
    const disk = await smallDisk(DISK_MB)
    const dataDir = typeof disk === 'string' ? await mkdtemp(join(tmpdir(), 'questboard-outages-')) : disk.folder
    const site = await databaseSite(dataDir, SHORT_LOG)
    const database = await openBenchDatabase([site.connection], 'bench_t7', true)
    const network = await flakyNetwork(database.connection)
    const faults: Fault[] = [
      { name: 'killed', begin: () => site.kill(), end: () => site.start() },
      { name: 'frozen', begin: () => site.freeze(), end: () => site.thaw() },
      { name: 'network cut', begin: () => network.cut(), end: () => network.mend() },
      { name: 'network silent', begin: () => network.silence(), end: () => network.mend() },
    ]
    if (typeof disk === 'string') say(`  no full disk: ${disk}`)
    else {
      faults.push({ name: 'disk full', begin: () => disk.fill(), end: () => disk.free() })
      // PostgreSQL exits when it cannot write its log. The supervisor starts it again.
      const end = async () => {
        await disk.free()
        await site.start()
      }
      faults.push({ name: 'disk full, log too', begin: () => Promise.all([disk.fill(), site.fillLog()]), end })
    }
    try {
      const seconds = quick ? OUTAGE_SECONDS.quick : OUTAGE_SECONDS.full
      const url = urlOf(network.connection)
      return await runOutages({ database, url, spaces: [SPACE], faults, seconds, say })
    } finally {
      await site.thaw().catch(() => {}) // it is not frozen, or not there
      await database.close()
      await network.close()
      await site.close()
      await (typeof disk === 'string' ? rm(dataDir, { recursive: true, force: true }) : disk.remove())
    }
  },
}
