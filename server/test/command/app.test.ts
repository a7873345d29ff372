import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { appCommand } from '../../src/command/app.ts'
import { operatorCommand } from '../../src/command/operator.ts'
import { approvedApp, codeFor, redeemCode, signedInBrowser } from '../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn()
})
afterAll(() => service.close())

const printed: string[] = []
const errors: string[] = []
beforeEach(() => {
  printed.length = 0
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  errors.length = 0
  vi.spyOn(console, 'error').mockImplementation((text: string) => void errors.push(text))
})
afterEach(() => vi.restoreAllMocks())

async function run(command: 'app' | 'operator', ...words: string[]): Promise<string> {
  const build = command === 'app' ? appCommand : operatorCommand
  await build((work) => work(service.services)).parseAsync(words, { from: 'user' })
  return printed.join('\n')
}

test('applies for an app, approves it, creates a secret and suspends the app', async () => {
  const { browser, account } = await signedInBrowser(service)
  const redirectUri = 'https://shop.example/callback'
  const applied = await run(
    'app',
    'apply',
    ...['--owner', account.id, '--name', 'Shop', '--purpose', 'Sign-in', '--redirect-uri', redirectUri],
    ...['--scopes', 'EVMAddress,openid', '--no-s256-only'],
  )
  const clientId = applied.split('  ')[0] as string
  expect(applied).toBe(`${clientId}  pending  Shop\n    ${redirectUri}; EVMAddress,openid; revision 1`)
  const change = (purpose: string) => browser.call('PATCH', `/api/apps/${clientId}`, { purpose })
  expect((await change('Selling')).json()).toMatchObject({ revision: 2 })
  await expect(run('app', 'approve', clientId, '--revision', '1')).rejects.toThrow('changed since')
  await expect(run('app', 'secret', clientId)).rejects.toThrow(`\`questboard app approve ${clientId}\` first.`)
  await expect(run('app', 'suspend', clientId)).rejects.toThrow(
    'The app is pending; the decision suspend needs an app that is approved',
  )
  errors.length = 0
  expect(await run('app', 'approve', clientId)).toContain('approved')
  const shownText = errors.join('\n')
  for (const text of ['name: Shop', 'purpose: Selling', redirectUri, 'EVMAddress openid', 'revision: 2'])
    expect(shownText).toContain(text)
  printed.length = 0
  const secret = await run('app', 'secret', clientId)
  expect(secret).toMatch(/^qbx_[0-9A-Za-z]{49}$/)
  const app = { clientId, secret, redirectUri }
  expect((await redeemCode(service, app, await codeFor(browser, app))).statusCode).toBe(200)
  const code = await codeFor(browser, app)
  await run('app', 'suspend', clientId, '--reason', 'spam')
  expect((await redeemCode(service, app, code)).statusCode).toBe(401)
  const shown = await browser.get(`/api/apps/${clientId}`)
  expect(shown.json()).toMatchObject({ status: 'suspended', statusReason: 'spam' })
  printed.length = 0
  expect(await run('app', 'list', '--status', 'suspended')).toContain(clientId)
})

test('shows and accepts the changes that the owner of an approved app proposes', async () => {
  const { browser, account } = await signedInBrowser(service)
  const { clientId } = await approvedApp(service, {}, account.id)
  await browser.call('PATCH', `/api/apps/${clientId}`, { name: 'Corner Shop', scopes: ['EVMAddress', 'Discord'] })
  printed.length = 0
  const list = await run('app', 'list', '--status', 'waiting')
  for (const change of ['proposes name: Corner Shop', 'proposes scopes: EVMAddress Discord'])
    expect(list).toContain(change)
  errors.length = 0
  await run('app', 'accept-changes', clientId)
  expect(errors.join('\n')).toContain('proposed name: Corner Shop')
  const shown = await browser.get(`/api/apps/${clientId}`)
  expect(shown.json()).toMatchObject({ name: 'Corner Shop', scopes: ['EVMAddress', 'Discord'], proposedDetails: null })
})

test('refuses an unknown app and an unknown owner; a second approval changes nothing', async () => {
  await expect(run('app', 'approve', 'nobodyknowsme')).rejects.toThrow('App not found')
  const owner = ['--owner', 'nobody', '--name', 'A', '--purpose', 'B', '--redirect-uri', 'https://a.example/']
  await expect(run('app', 'apply', ...owner)).rejects.toThrow('No account has the id "nobody".')
  const { clientId } = await approvedApp(service)
  await expect(run('app', 'refuse-changes', clientId)).rejects.toThrow('This app has no proposed changes')
  expect(await run('app', 'approve', clientId)).toContain('The app is already approved; nothing was changed')
  await expect(run('app', 'approve', clientId, '--revision', '7')).rejects.toThrow('The app is approved already')
})

test('grants and withdraws the rights of an operator', async () => {
  const { browser, account } = await signedInBrowser(service)
  expect((await browser.get('/api/operator/apps')).statusCode).toBe(403)
  await run('operator', 'grant', account.id)
  expect(await run('operator', 'grant', account.id)).toContain('is already an operator')
  expect(await run('operator', 'list')).toContain(account.id)
  expect((await browser.get('/api/operator/apps?status=pending')).statusCode).toBe(200)
  expect((await browser.get('/api/operator/apps?status=odd')).statusCode).toBe(400)
  expect((await browser.get('/api/operator/audit')).json<{ events: unknown[] }>().events.length).toBeGreaterThan(0)
  await run('operator', 'withdraw', account.id)
  expect((await browser.get('/api/operator/apps')).statusCode).toBe(403)
  await expect(run('operator', 'grant', '00000000-0000-4000-8000-00000000dead')).rejects.toThrow(
    'No account has the id',
  )
})
