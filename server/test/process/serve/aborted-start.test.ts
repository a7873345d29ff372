import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { urlOf } from '../../command/questboard.ts'
import { createTestDatabase, waitingSessions } from '../../support/database.ts'
import { MAIN, processEnvironment, temporaryDataDir } from '../../support/process.ts'

test.each([
  ['a start', 'plans'],
  ['a service that listens, but is not ready, and', 'operators'],
])('a stop ends %s that waits for the database', async (_, table) => {
  const { dataDir, remove } = await temporaryDataDir()
  const database = await createTestDatabase()
  const holder = await database.pool.connect()
  onTestFinished(async () => {
    holder.release(true)
    await database.drop()
    await remove()
  })
  await holder.query(`BEGIN; LOCK TABLE ${table}`)
  const env = processEnvironment(dataDir, { DATABASE_URL: urlOf(database.connection) })
  const service = spawn(process.execPath, [MAIN], { env, stdio: 'ignore' })
  onTestFinished(() => void service.kill('SIGKILL'))
  const exited = once(service, 'exit')
  await expect.poll(() => waitingSessions(database, table)).toBeGreaterThan(0)
  service.kill('SIGTERM')
  expect(await exited).toEqual([1, null])
})
