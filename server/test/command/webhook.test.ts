import { Client } from 'pg'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { webhookCommand } from '../../src/command/webhook.ts'
import { webhookFixture } from '../webhooks/arrange.ts'

const fixture = await webhookFixture()
const { deps, receiver, clock } = fixture
afterAll(() => fixture.close())

const printed: string[] = []
const errors: string[] = []
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  vi.spyOn(console, 'error').mockImplementation((text: string) => void errors.push(text))
})
afterEach(() => vi.restoreAllMocks())

async function run(...words: string[]): Promise<string> {
  printed.length = 0
  errors.length = 0
  await webhookCommand((work) => work(deps)).parseAsync(words, { from: 'user' })
  return printed.join('\n')
}

test('creates, lists, updates, tests, rotates and deletes a webhook', async () => {
  expect(await run('list')).toContain('No webhooks yet')
  const options = ['--url', `${receiver.url}/hook`, '--events', 'points.awarded, rank.left', '--space', '40']
  expect(await run('create', ...options, '--min-points', '100', '--top', '3', '--boards', 'sprints')).toMatch(
    /^whsec_\S+$/,
  )
  const [shown] = errors as [string]
  const id = shown.slice(0, 36)
  expect(shown).toContain(`${id}  ${receiver.url}/hook`)
  expect(shown).toContain('space 40; at least 100 points, top 3, boards sprints; enabled')
  expect(await run('list')).toBe(shown.split('\nKeep its secret')[0])

  expect(await run('update', id, '--disable', '--top', '5')).toMatch(
    /top 5, boards sprints;\s+disabled: disabled by its owner/,
  )
  await expect(run('test', id)).rejects.toThrow('enable it first')
  expect(await run('update', id, '--enable', '--description', 'roles')).toContain('roles')

  const message = await run('test', id)
  expect(await run('deliveries', id)).toMatch(
    new RegExp(`^${message} .* pending\\n {4}0 attempts; not sent yet; next `),
  )
  await fixture.deliver()
  expect(await run('deliveries', id)).toMatch(/ delivered\n {4}1 attempt; status 204$/)
  expect(await run('redeliver', id, message)).toContain('1 queued')
  clock.advance(1_000)
  fixture.answer = (_, response) => void response.writeHead(500).end('no\nway')
  await fixture.deliver()
  const detail = await run('deliveries', id, message)
  expect(detail).toMatch(/^ {4}1 .* ms {2}status 204$/m)
  expect(detail).toMatch(/^ {4}2 .* ms {2}answered 500$/m)
  expect(detail).toContain(String.raw`"no\nway"`)
  expect(detail).toContain('{"type":"webhook.test"')
  expect(await run('redeliver', id, '--since', '2026-01-01T00:00:00Z')).toContain('0 queued')

  expect(await run('rotate', id)).toMatch(/^whsec_\S+$/)
  expect(await run('delete', id)).toBe(`Deleted the webhook to ${receiver.url}/hook.`)
  const { rows } = await deps.database.pool.query<{ event: string }>(
    `SELECT event FROM security_events WHERE details = $1 ORDER BY happened_at`,
    [{ webhook: id, by: 'command' }],
  )
  const events = ['webhook.created', 'webhook.changed', 'webhook.changed', 'webhook.secret-rotated', 'webhook.deleted']
  expect(rows.map(({ event }) => event).toSorted()).toEqual(events.toSorted())
  expect(await run('list')).toContain('No webhooks yet')
})

test('creates no secret if a running service has another secret for encryption', async () => {
  const service = new Client({ ...deps.database.connection, application_name: 'questboard sealing 00000000' })
  await service.connect()
  const options = ['--url', `${receiver.url}/hook`, '--events', 'points.awarded', '--space', '40']
  await expect(run('create', ...options)).rejects.toThrow(/^Nothing was changed: .* another secret/)
  await expect(run('rotate', '00000000-0000-4000-8000-000000000000')).rejects.toThrow(/^Nothing was changed/)
  await service.end()
  expect(await run('list')).toContain('No webhooks yet')
})

test('rejects invalid options with the field and the reason', async () => {
  const id = '00000000-0000-4000-8000-00000000dead'
  await expect(
    run('create', '--url', 'https://10.0.0.1/', '--events', 'points.awarded', '--space', '40'),
  ).rejects.toThrow(
    'url cannot be used: 10.0.0.1 is not on the public Internet; to allow it, add it to QUESTBOARD_WEBHOOK_HOSTS, for the service and',
  )
  await expect(run('create', '--events', 'points.awarded', '--space', '40')).rejects.toThrow('url must be a URL')
  await expect(run('create', '--url', receiver.url, '--events', 'points.awarded')).rejects.toThrow('spaceIds is needed')
  await expect(run('update', id, '--enable')).rejects.toThrow('Webhook not found')
  await expect(run('delete', 'nonsense')).rejects.toThrow('Webhook not found')
  const { endpoint } = await fixture.create()
  await expect(run('update', endpoint.id, '--enable', '--disable')).rejects.toThrow('enable and --disable exclude')
  await expect(run('redeliver', endpoint.id)).rejects.toThrow('message is missing; name a message, or --since')
  await expect(run('redeliver', endpoint.id, '--since', 'monday')).rejects.toThrow('since must be a time')
  await expect(run('redeliver', endpoint.id, 'msg_1')).rejects.toThrow('Delivery not found')
  await expect(run('deliveries', endpoint.id, '--state', 'lost')).rejects.toThrow('state must be pending')
})
