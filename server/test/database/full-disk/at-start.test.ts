import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FULL_DISK } from '../../../src/database/full-disk.ts'
import { startProcess } from '../../support/process.ts'
import { smallDisk } from '../../support/small-disk.ts'

const probe = await smallDisk(1)
const reason = typeof probe === 'string' ? probe : undefined
if (typeof probe !== 'string') await probe.remove()

/** The step of the first start that fills a disk of this size in megabytes. */
const steps: [string, number][] = [
  ['initdb', 8],
  ['the start of the server', 40],
  ['the first migrations', 60],
  ['later migrations', 75],
  ['the demo data', 130],
]

test.skipIf(reason).each(steps)(
  `reports a full disk at the first start, during %s${reason ? ` (left out: ${reason})` : ''}`,
  async (_step, megabytes) => {
    const disk = await smallDisk(megabytes)
    if (typeof disk === 'string') throw new Error(disk)
    onTestFinished(() => disk.remove())
    await chmod(disk.folder, 0o755)
    await expect(startProcess(join(disk.folder, 'data'))).rejects.toThrow(`Questboard stopped: ${FULL_DISK}`)
  },
)
