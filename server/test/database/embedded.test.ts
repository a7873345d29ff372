import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../src/database/embedded.ts'
import { temporaryDataDir } from '../support/process.ts'

test('starts after the last process of a killed server has ended, also if that takes seconds', async () => {
  const { dataDir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const { connection } = await startEmbedded({ dataDir })
  const client = new Client(connection)
  client.on('error', () => {}) // the killed server
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const backend = rows[0]?.pid as number
  const postmaster = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

  process.kill(backend, 'SIGSTOP')
  process.kill(postmaster, 'SIGKILL')
  const restarted = startEmbedded({ dataDir })
  // Longer than a start may fail without another server.
  await Promise.race([restarted, sleep(6_000)])
  process.kill(backend, 'SIGCONT')
  const again = await restarted
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toContain('pre-existing shared memory block')
  await client.end()
  await again.stop()
})
