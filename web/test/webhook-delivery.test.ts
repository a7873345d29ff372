import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { createOutgoing, type Outgoing } from '../../server/src/outgoing/outgoing.ts'
import { loadInstallationSecret } from '../../server/src/secrets/installation-secret.ts'
import { webhookQueue } from '../../server/src/webhooks/deliver.ts'
import { evmAddress } from '../../server/test/support/fixture.ts'
import { sendDue } from '../../server/test/support/send-due.ts'
import { type Answer, startUpstream, type Upstream } from '../../server/test/support/upstream.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type OperatorInBrowser, operatorInBrowser } from './operator-in-browser.ts'

const LIST = '/settings/server-api/webhooks'

let { world, issuer, profile, operator, close } = {} as OperatorInBrowser
let receiver: Upstream
let answer: Answer
let outgoing: Outgoing
let here: Visit

const says =
  (status: number, body: string): Answer =>
  (_, response) =>
    void response.writeHead(status).end(body)

describe.skipIf(findChromium() === undefined)('a delivery of a webhook in a browser', () => {
  beforeAll(async () => {
    receiver = await startUpstream((request, response) => answer(request, response))
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser({
      QUESTBOARD_WEBHOOK_HOSTS: receiver.host,
    }))
    outgoing = createOutgoing({ hosts: world.deps.config.webhookHosts })
    await profile.grantPermissions(['clipboard-read', 'clipboard-write'])
  })
  afterAll(async () => {
    await close()
    await outgoing.close()
    await receiver.close()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, issuer + path)
    return here.page
  }
  /** What the sender of a running service does. */
  const deliver = () => {
    const deps = { ...world.deps, outgoing, secret: loadInstallationSecret(world.deps.config) }
    return sendDue(webhookQueue(deps), deps)
  }
  const created = async () => {
    const form = { url: `${receiver.url}/hook`, events: ['points.awarded'], spaceIds: [40] }
    return (await operator.browser.call('POST', '/api/webhooks', form)).json<{ id: string }>()
  }

  test('shows payload, attempts and headers, and sends the message again', async () => {
    const { id } = await created()
    const address = evmAddress(901)
    await importRecords(world, 'awards', [{ key: 'viewer', spaceId: 40, address, points: 1_200 }])
    answer = says(500, 'The database is being restored.\nPlease come back.')
    expect(await deliver()).toBe(1)
    const [first] = receiver.requests

    const page = await open(LIST)
    await page.getByRole('button', { name: `Manage ${receiver.url}/hook` }).click()
    await page.getByRole('link', { name: 'points.awarded', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'points.awarded' }).waitFor()
    const part = (name: string) => page.getByRole('region', { name, exact: true })
    await part('Delivery').getByText('Pending', { exact: true }).waitFor()
    await part('Attempts').getByText('HTTP 500', { exact: true }).waitFor()
    await part('Attempts')
      .getByText(/ · [\d.]+ ms$/)
      .waitFor()
    await part('Attempts').getByText('Please come back.').waitFor()
    const payload = await part('Payload').locator('pre').innerText()
    expect(JSON.parse(payload)).toEqual(JSON.parse(first?.body ?? ''))
    expect(payload).toContain(`\n        "address": "${address}"`)
    await page.getByRole('button', { name: 'Copy payload' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    // The signature is that of the sent text.
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(first?.body)
    const header = (name: string) => part('Headers').locator('dl > div', { hasText: name }).locator('code').innerText()
    for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'])
      expect(await header(name), name).toBe(first?.headers[name])
    expect(first?.headers['webhook-signature']).toMatch(/^v1,/)
    expect(await header('webhook-signature')).toBe('v1,…')
    const manual = part('Headers').getByRole('link', { name: 'How to verify a delivery' })
    expect(await manual.getAttribute('href')).toBe('/docs/webhooks#verify-each-delivery')

    world.clock.advance(1_000)
    answer = says(200, 'ok')
    await page.getByRole('button', { name: 'Resend', exact: true }).click()
    await page.getByText('The message is being sent…').waitFor()
    expect(await deliver()).toBe(1)
    await page.getByText(/^Attempt 2 succeeded: HTTP 200, [\d.]+ ms$/).waitFor()
    await part('Delivery').getByText('Delivered', { exact: true }).waitFor()
    expect(await part('Attempts').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Attempt 2\s[^]*HTTP 200[^]*\sok$/),
      expect.stringMatching(/^Attempt 1\s[^]*HTTP 500/),
    ])
    const [, second] = receiver.requests
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(await header('webhook-timestamp')).toBe(second?.headers['webhook-timestamp'])
    await checkLooks(page, 'webhook-delivery')

    answer = (_, response) => void response.destroy()
    await page.getByRole('button', { name: 'Resend', exact: true }).click()
    await page.getByText('The message is being sent…').waitFor()
    expect(await deliver()).toBe(1)
    await page.getByText(/^Attempt 3 failed: No response, /).waitFor()

    await page.getByRole('link', { name: /\/hook$/ }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    expect(new URL(page.url()).search).toBe(`?webhook=${id}`)
  })

  test('sends nothing for a disabled webhook, and finds no message of another webhook', async () => {
    const { id } = await created()
    const test = await operator.browser.call('POST', `/api/webhooks/${id}/test`)
    const message = test.json<{ id: string }>().id
    await operator.browser.call('PATCH', `/api/webhooks/${id}`, { enabled: false })
    const page = await open(`${LIST}/${id}/deliveries/${message}`)
    await page.getByText('The webhook is disabled. Enable it to resend this message.').waitFor()
    await page.getByText('No attempts yet.').waitFor()
    expect(await page.getByRole('button', { name: 'Resend', exact: true }).isDisabled()).toBe(true)
    await checkLooks(page, 'webhook-delivery-disabled')
    const other = await created()
    await page.goto(`${issuer}${LIST}/${other.id}/deliveries/${message}`)
    await page.getByRole('link', { name: 'Webhooks', exact: true }).last().waitFor()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })
})
