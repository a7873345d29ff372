import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { loadInstallationSecret } from '../../src/secrets/installation-secret.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { systemRandom } from '../../src/random.ts'
import { sendDue } from '../support/send-due.ts'
import { webhookQueue } from '../../src/webhooks/deliver.ts'
import { readEndpointForm } from '../../src/webhooks/endpoint-form.ts'
import { createEndpoint, sendTest } from '../../src/webhooks/endpoints.ts'
import { readLog, readLogQuery, readMessage } from '../../src/webhooks/log.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase } from '../support/database.ts'
import { type Answer, type ReceivedRequest, startUpstream } from '../support/upstream.ts'

export const ACCOUNT = '00000000-0000-4000-8000-0000000000e1'
export const SECRET = 'a secret of at least thirty-two characters'

/** A space, an account, a receiver on loopback that responds with `answer`, and a clock that the test moves. */
export async function webhookFixture() {
  const database = await createTestDatabase()
  const clock = testClock()
  const answer: Answer = (_, response) => void response.writeHead(204).end()
  const fixture = { answer }
  const receiver = await startUpstream((request, response) => fixture.answer(request, response))
  const config = loadConfig({ QUESTBOARD_SECRET: SECRET, QUESTBOARD_WEBHOOK_HOSTS: receiver.host })
  const outgoing = createOutgoing({ hosts: config.webhookHosts })
  const secret = loadInstallationSecret(config)
  const deps = { config, database, clock, random: systemRandom, log: silentLog, outgoing, secret }
  await database.query(`INSERT INTO accounts VALUES ($1, 'hooks', now())`, [ACCOUNT])
  await importRecords({ database, clock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])

  const made = Object.assign(fixture, {
    database,
    clock,
    deps,
    receiver,
    create: async (form: object = {}) => {
      const body = readEndpointForm({
        url: `${receiver.url}/hook`,
        events: ['points.awarded'],
        spaceIds: [40],
        ...form,
      })
      return createEndpoint(deps, ACCOUNT, body, 'operator')
    },
    /** A webhook with a due message. */
    created: async (form: object = {}) => {
      const { endpoint, secret } = await made.create(form)
      return { endpoint, secret, messageId: await sendTest(deps, endpoint) }
    },
    deliver: () => sendDue(webhookQueue(deps), deps),
    log: async (endpoint: Parameters<typeof readLog>[1]) =>
      (await readLog(deps, endpoint, readLogQuery({}))).deliveries,
    message: (endpoint: Parameters<typeof readMessage>[1], id: string) => readMessage(deps, endpoint, id),
    /** The payload that the library standardwebhooks reads from a request. @throws when the signature is invalid */
    verified: (request: ReceivedRequest | undefined, secret: string): unknown => {
      vi.useFakeTimers({ toFake: ['Date'], now: clock.now() })
      try {
        return new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>)
      } finally {
        vi.useRealTimers()
      }
    },
    async close() {
      await outgoing.close()
      await receiver.close()
      await database.drop()
    },
  })
  return made
}
