import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type ServiceProcess, startProcess, temporaryDataDir } from '../../support/process.ts'
import { type Answer, startUpstream, type Upstream } from '../../support/upstream.ts'
import { questboard, urlOf } from '../../command/questboard.ts'
import { SECRET } from '../arrange.ts'

let database: TestDatabase
let receiver: Upstream
let answer: Answer
let settings: Record<string, string>
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>
let service: ServiceProcess | undefined
beforeAll(async () => {
  database = await createTestDatabase()
  await importRecords({ database, clock: systemClock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  receiver = await startUpstream((request, response) => answer(request, response))
  settings = {
    DATABASE_URL: urlOf(database.connection),
    QUESTBOARD_DEMO: 'false',
    QUESTBOARD_SECRET: SECRET,
    QUESTBOARD_WEBHOOK_HOSTS: receiver.host,
  }
  dataDir = await temporaryDataDir()
})
afterAll(async () => {
  await service?.kill()
  await receiver.close()
  await dataDir.remove()
  await database.drop()
})

const restart = async () => (service = await startProcess(dataDir.dataDir, settings))
const patience = { interval: 50 }

test('sends messages from before the start of the service, also after kill -9 between two attempts', async () => {
  const create = ['create', '--url', `${receiver.url}/hook`, '--events', 'points.awarded,rank.entered', '--space', '40']
  const created = await questboard(
    ['webhook', ...create, '--min-points', '5', '--boards', 'overall', '--description', 'to be killed'],
    settings,
  )
  expect(created.stdout).toMatch(/^whsec_\S+\n$/)
  await importRecords({ database, clock: systemClock }, 'points', [{ spaceId: 40, address: 'ada', points: 7 }])

  answer = (_, response) => void response.writeHead(500).end('not now')
  await restart()
  const noted = () => database.query('SELECT status FROM webhook_attempts')
  await expect.poll(noted, patience).toEqual([{ status: 500 }, { status: 500 }])
  await service?.kill()
  // The retry pauses are over when the next process starts.
  await database.query('UPDATE webhook_messages SET next_attempt_at = now()')
  answer = (_, response) => void response.end()
  await restart()
  const states = () => database.query<{ state: string }>('SELECT state FROM webhook_messages')
  await expect.poll(states, patience).toEqual([{ state: 'delivered' }, { state: 'delivered' }])
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids.slice(0, 2))).toEqual(new Set(ids.slice(2)))
  expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted()).toEqual([
    'points.awarded',
    'points.awarded',
    'rank.entered',
    'rank.entered',
  ])
  expect(await service?.interrupt()).toBe(0)
  service = undefined
})
