import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inviteOperator } from '../../server/src/accounts/operator-invitations.ts'
import { DAY, MINUTE } from '../../server/src/clock.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { snapshotJob } from '../../server/src/snapshots/job.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { startUpstream, type Upstream } from '../../server/test/support/upstream.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type OperatorInBrowser, operatorInBrowser } from './operator-in-browser.ts'
import { actAs } from './signed-in.ts'

let { world, issuer, profile, operator, close } = {} as OperatorInBrowser
let user: SignedIn
let source: Upstream
let here: Visit

describe.skipIf(findChromium() === undefined)('the operator pages in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser({
      QUESTBOARD_OUTGOING_HOSTS: '127.0.0.1',
    }))
    user = await signedInBrowser(world.app)
    source = await startUpstream((_, response) => void response.writeHead(500).end())
  })
  afterAll(async () => {
    await close()
    await source.close()
  })
  beforeEach(() => actAs(profile, issuer, operator))
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (path: string) => {
    here = await visit(profile, issuer + path)
    return here.page
  }

  test('a one-time link makes the signed-in account an operator', async () => {
    const { url } = await inviteOperator({ ...world.deps, site: { issuer } }, DAY)
    await profile.clearCookies()
    const page = await open(new URL(url).pathname + new URL(url).hash)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${issuer}/operator-invitation`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL(/\/sign-in\?return=%2Foperator-invitation$/)
    const invited = await signedInBrowser(world.app)
    await actAs(profile, issuer, invited)
    await page.goto(`${issuer}/operator-invitation`)
    await page.getByText('Operators manage everything').waitFor()
    await checkLooks(page, 'operator-invitation')
    await page.getByRole('button', { name: 'Become an operator' }).click()
    await page.getByRole('link', { name: 'Open the operator pages' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('a used link is refused when it is opened, also before the sign-in', async () => {
    const { url } = await inviteOperator({ ...world.deps, site: { issuer } }, DAY)
    const { pathname, hash } = new URL(url)
    await profile.clearCookies()
    const page = await open(pathname + hash)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    const invited = await signedInBrowser(world.app)
    const accepted = await invited.browser.call('POST', '/api/operator/invitations/accept', { code: hash.slice(1) })
    expect(accepted.statusCode).toBe(204)
    await page.reload()
    await page.getByText('It was used, or has expired. Ask an operator for a new one').waitFor()
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0)
    await checkLooks(page, 'operator-invitation-used')
    await actAs(profile, issuer, await signedInBrowser(world.app))
    await page.reload()
    await page.getByText('It was used, or has expired. Ask an operator for a new one').waitFor()
    expect(await page.getByRole('button', { name: 'Become an operator' }).count()).toBe(0)
  })

  test('is the only user with access to the pages', async () => {
    await actAs(profile, issuer, user)
    const page = await open('/operator')
    await page.getByText('These pages are for operators.').waitFor()
    expect(await page.getByRole('link', { name: 'Plans and quotas' }).count()).toBe(0)
    await actAs(profile, issuer, operator)
    await page.reload()
    await page.getByRole('link', { name: 'Plans and quotas' }).waitFor()
  })

  test('reads in one sentence that nothing needs attention, and finds health, figures and tasks', async () => {
    const page = await open('/operator')
    const inbox = page.getByRole('region', { name: 'Inbox' })
    await inbox.getByText('Nothing needs your attention.').waitFor()
    expect(await inbox.getByRole('link').count()).toBe(0)
    await page
      .getByRole('region', { name: 'Health' })
      .getByText(/^(No problems found|No problems, \d+ notes?|\d+ problems?)$/)
      .waitFor()
    await page.getByRole('link', { name: /^Spaces: \d+$/ }).waitFor()
    await checkLooks(page, 'operator-overview')
    const tasks = page.getByRole('region', { name: 'Common tasks' })
    await tasks.getByRole('link', { name: 'Invite an operator' }).click()
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  })

  test('loads figures again that could not be loaded', async () => {
    const page = await open('/account')
    await page.route('**/api/operator/syncs', (route) => route.fulfill({ status: 400, json: {} }), { times: 1 })
    await page.goto(`${issuer}/operator`)
    const figures = page.getByRole('region', { name: 'In numbers' })
    await figures.getByRole('button', { name: 'Try again' }).click()
    await figures.getByRole('link', { name: /^Spaces: \d+$/ }).waitFor()
    here.complaints.length = 0 // the failed request
  })

  test('approves exactly the revision of the app on the page', async () => {
    const form = {
      name: 'Board Games',
      purpose: 'Showing who leads',
      redirectUris: ['https://app.example.com/'],
      scopes: [],
    }
    const page = await open('/operator/apps')
    await page.getByText('No apps', { exact: true }).waitFor()
    const applied = await user.browser.call('POST', '/api/apps', form)
    const { clientId } = applied.json<{ clientId: string }>()
    await page.goto(`${issuer}/operator`)
    await page.getByRole('link', { name: 'New apps to review: 1' }).click()
    await page.getByText('Showing who leads').waitFor()
    await checkLooks(page, 'operator-apps')
    await user.browser.call('PATCH', `/api/apps/${clientId}`, { purpose: 'Something else' })
    await page.getByRole('button', { name: 'Reject: Board Games' }).click()
    await page.getByText('Enter a reason, so that the owner knows what to change.').waitFor()
    await page.getByRole('button', { name: 'Approve: Board Games' }).click()
    await page.getByText('The owner has changed this app.').waitFor()
    await page.getByText('Something else').waitFor()
    await page.getByRole('button', { name: 'Approve: Board Games' }).click()
    await page.getByText('No apps', { exact: true }).waitFor()
    await page.getByLabel('Status').selectOption('approved')
    await page.getByRole('button', { name: 'Withdraw approval: Board Games' }).click()
    await page.getByRole('dialog').getByText('Its users can no longer sign in').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Reason (visible to the owner)').fill('Asks too much')
    await page.getByRole('button', { name: 'Suspend: Board Games' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByText('No apps', { exact: true }).waitFor()
    const { apps } = (await user.browser.get('/api/apps')).json<{ apps: object[] }>()
    expect(apps).toMatchObject([{ status: 'suspended', statusReason: 'Asks too much' }])
  })

  test('creates a plan and assigns it to a token', async () => {
    await user.browser.call('POST', '/api/tokens', { name: 'backend' })
    const page = await open('/operator/plans')
    await page.getByRole('button', { name: 'New plan' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('free')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The plan free exists; change it instead').waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('business')
    await page.getByLabel('Requests per day (UTC)').fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Requests per day (UTC)').and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByRole('textbox', { name: 'Requests per day (UTC)' }).fill('50000')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Requests per day (UTC): 50,000').waitFor()
    await page.getByRole('combobox', { name: 'Account' }).fill(user.account.username)
    await page.getByRole('option', { name: user.account.username }).click()
    await page.getByLabel('Plan of backend', { exact: true }).selectOption('business')
    await page.getByRole('button', { name: 'Change plan of backend' }).click()
    await page.getByText('Requests per day (UTC): 50,000 · Tokens: 1').waitFor()
    await checkLooks(page, 'operator-plans')
  })

  test('runs a synchronization, and sees why it failed', async () => {
    await setSource(world.deps, '501', { kind: 'CSV', url: `${source.url}/list`, format: 'text' })
    const page = await open('/operator/syncs')
    await page.getByRole('button', { name: 'Sync now: Early swapper' }).click()
    await page.getByText(/^Failed once: /).waitFor()
    await checkLooks(page, 'operator-syncs')
  })

  test('counts a list, seals it and deletes the snapshot', async () => {
    const page = await open('/operator/snapshots')
    await page.getByText('No snapshots', { exact: true }).waitFor()
    const space = page.getByRole('combobox', { name: 'Space' })
    await space.fill('77777')
    await page.getByRole('option', { name: 'Use the ID 77777' }).click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByText('Space: “77777” does not exist.').waitFor()
    await space.fill('40')
    await page.getByRole('option', { name: 'Aurora Guild' }).click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByText(/members · .* points · .* in the Merkle tree · .* left out/).waitFor()
    await page.getByRole('switch', { name: 'Public' }).click()
    await page.getByRole('button', { name: 'Create snapshot' }).click()
    await page.getByText('Sealing', { exact: true }).waitFor()
    const now = world.clock.now()
    const call = { now, agreedNow: async () => now, signal: new AbortController().signal }
    await snapshotJob({ ...world.deps, log: silentLog }).run(call)
    await page.getByText('Sealed', { exact: true }).waitFor()
    await page.getByText('Merkle root').waitFor()
    await page.getByRole('button', { name: 'Copy Merkle root' }).waitFor()
    await checkLooks(page, 'operator-snapshots')
    const file = page.waitForEvent('download')
    await page.getByRole('link', { name: /as CSV$/ }).click()
    expect((await file).suggestedFilename()).toMatch(/^snapshot-[0-9a-f-]{36}\.csv$/)
    await page.getByRole('button', { name: /^Delete the snapshot of/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
    await page.getByText('No snapshots', { exact: true }).waitFor()
  })

  test('filters the log by event, and sees the health of the installation', async () => {
    const applicant = await signedInBrowser(world.app)
    const form = { name: 'Dice', purpose: 'Rolling', redirectUris: ['https://dice.example.com/'], scopes: [] }
    const { clientId } = (await applicant.browser.call('POST', '/api/apps', form)).json<{ clientId: string }>()
    await operator.browser.call('POST', `/api/operator/apps/${clientId}/refuse`, { reason: 'Says too little' })
    const page = await open('/operator/log')
    await page.getByLabel('Event', { exact: true }).selectOption('app.refused')
    await page.locator('.rows .row').getByText('Says too little').waitFor()
    expect(await page.locator('.rows .row').count()).toBe(1)
    await checkLooks(page, 'operator-log')
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByRole('heading', { name: 'Pending work' }).waitFor()
    await page.getByText('Database', { exact: true }).waitFor()
    const again = page.waitForRequest(/\/api\/operator\/health\?again=true$/)
    await page.getByRole('button', { name: 'Check again' }).click()
    await again
    await checkLooks(page, 'operator-health')
  })

  test('the inbox leads to the late and disabled webhooks with their owners', async () => {
    await world.database.query(
      `INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top,
         boards, created_at, disabled_at, disabled_reason, failing_since)
       SELECT id::uuid, $1, url, '', '{points.awarded}', '{}', 1, 10, 'all', $2, disabled_at, reason, failing_since
       FROM (VALUES
         ('00000000-0000-4000-8000-0000000000d1', 'https://slow.example/', NULL, NULL, NULL),
         ('00000000-0000-4000-8000-0000000000d2', 'https://gone.example/', $2::timestamptz,
          'the receiver responded with 410 Gone', $2)
       ) AS added (id, url, disabled_at, reason, failing_since)`,
      [user.account.id, new Date(world.clock.now() - DAY)],
    )
    await world.database.query(
      `INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, state, next_attempt_at)
       SELECT '00000000-0000-4000-8000-0000000000d1', 'points.awarded', '{}', $1, 'pending', $1
       FROM generate_series(1, 2)`,
      [new Date(world.clock.now() - DAY)],
    )
    const page = await open('/operator')
    await page.getByRole('link', { name: 'Webhooks disabled after failures: 1' }).waitFor()
    await page.getByRole('link', { name: 'Overdue webhook messages: 2' }).click()
    const webhooks = page.getByRole('region', { name: 'Webhooks', exact: true })
    const row = (host: string) => webhooks.getByRole('listitem').filter({ hasText: host })
    await row('slow.example')
      .getByText(/^2 messages, due since /)
      .waitFor()
    await row('slow.example')
      .getByText(/no instance sends/)
      .waitFor()
    await row('gone.example').getByText('the receiver responded with 410 Gone').waitFor()
    await row('gone.example')
      .getByText(/^Ask the owner to repair the receiver/)
      .waitFor()
    await checkLooks(page, 'operator-health-webhooks')
    await row('gone.example').getByRole('link', { name: user.account.username }).click()
    await page.waitForURL(`${issuer}/operator/people/${user.account.id}`)
    await page.getByRole('heading', { level: 1, name: user.account.username }).waitFor()
  })

  test('shows requests, errors and latency of all tokens on the page Health, as charts and as tables', async () => {
    const made = await user.browser.call('POST', '/api/tokens', { name: 'measured' })
    const { tokenId } = made.json<{ tokenId: string }>()
    // The service keeps the figures for a minute.
    world.clock.advance(MINUTE)
    await world.database.query(
      `INSERT INTO token_usage (token_id, day, operation, status, requests, last_used_at, latencies)
       SELECT $1, ($2::timestamptz AT TIME ZONE 'UTC')::date - day, 'space', status, requests * (day + 1), $2, latencies
       FROM generate_series(0, 1) AS day,
         (VALUES (200, 75, '{0,0,0,50,20,5}'::bigint[]), (429, 25, '{25}'::bigint[])) AS asked (status, requests, latencies)`,
      [tokenId, new Date(world.clock.now())],
    )
    const page = await open('/operator/health')
    const charts = [
      ['Requests per day', /^Bar chart of requests over 30 days\. Total: 300\./, ['200: 75', '429: 25']],
      ['Error rate', /^Line chart of the error rate over 30 days/, ['Errors: 25 %']],
      ['Latency', /^Line chart of the latency over 30 days/, ['Median (p50): 1.2 ms', '95th percentile (p95): 2 ms']],
    ] as const
    const rows: Record<string, string> = {
      'Requests per day': '75\t25\t100',
      'Error rate': '25 %',
      Latency: '1.2 ms\t2 ms',
    }
    for (const [title, label, values] of charts) {
      const region = page.getByRole('region', { name: title })
      const chart = region.getByRole('img', { name: label })
      await chart.focus()
      await page.keyboard.press('End')
      for (const value of values) await region.locator('.chart-tooltip').getByText(value, { exact: true }).waitFor()
      await page.keyboard.press('Escape')
    }
    for (const [status, colour] of [
      ['200', '2xx-0'],
      ['429', '4xx-0'],
    ] as const)
      expect(await page.locator('.chart-legend li', { hasText: status }).locator(`.series-${colour}`).count()).toBe(1)
    await checkLooks(page, 'operator-health-charts')
    for (const [title] of charts) {
      const region = page.getByRole('region', { name: title })
      await region.getByText('Table', { exact: true }).click()
      const [, today = ''] = await region.getByRole('row').allInnerTexts()
      expect(today.replace(/^21 Nov 2026\s+/, ''), title).toBe(rows[title])
    }
  })
})
