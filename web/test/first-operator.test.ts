import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { urlOf } from '../../server/test/command/questboard.ts'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { testWallet } from '../../server/test/support/oauth-wallet.ts'
import { MAIN, processEnvironment, temporaryDataDir } from '../../server/test/support/process.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { injectWallet } from './signed-in.ts'

/** Runs a command at a pseudo-terminal. */
const SCRIPT = '/usr/bin/script'

describe.skipIf(findChromium() === undefined || process.platform !== 'linux' || !existsSync(SCRIPT))(
  'the first operator of an installation',
  () => {
    let database: TestDatabase
    let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>
    let terminal: ChildProcess | undefined
    let exited: Promise<unknown> | undefined
    let printed = ''
    let issuer: string
    let browser: Browser

    beforeAll(async () => {
      ;[database, dataDir, browser] = await Promise.all([createTestDatabase(), temporaryDataDir(), openBrowser()])
      const port = await freePort()
      issuer = `http://localhost:${port}`
      const settings = { DATABASE_URL: urlOf(database.connection), PORT: String(port), QUESTBOARD_DEMO: 'false' }
      terminal = spawn(SCRIPT, ['--quiet', '--command', `exec ${process.execPath} ${MAIN}`, '/dev/null'], {
        env: { ...processEnvironment(dataDir.dataDir, settings), SHELL: '/bin/sh' },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      exited = once(terminal, 'exit')
      terminal.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    }, 180_000)
    afterAll(async () => {
      await browser.close()
      terminal?.stdin?.write('\x03') // Ctrl-C
      await exited
      await dataDir.remove()
      await database.drop()
    })

    /** A person with a wallet opens a link. */
    async function openAt(link: string): Promise<Visit> {
      const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
      await injectWallet(profile, { name: 'Test Wallet', wallet: testWallet() })
      return visit(profile, link)
    }

    test(
      'is the first person who opens the link that the start prints at a terminal',
      { timeout: 180_000 },
      async () => {
        await expect.poll(() => printed, { timeout: 120_000 }).toMatch(/Questboard is ready[^]*creates a token for it/)
        const [, link = ''] = /first operator: open this link.*\s+(\S+)/.exec(printed) ?? []
        expect(link).toMatch(new RegExp(`^${issuer}/operator-invitation#qbo_[\\w-]+$`))
        const first = await openAt(link)
        await first.page.getByRole('link', { name: 'Sign in' }).click()
        await first.page.getByRole('button', { name: 'Test Wallet' }).click()
        await first.page.getByRole('button', { name: 'Become an operator' }).click()
        await first.page.getByText('Your account is now an operator.').waitFor()
        await first.page.getByRole('link', { name: 'Open the operator pages' }).click()
        await first.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
        await first.page.getByRole('link', { name: 'Health', exact: true }).waitFor()

        const second = await openAt(link)
        await second.page.getByText('This invitation is not valid').waitFor()
        expect(await second.page.getByRole('link', { name: 'Sign in' }).count()).toBe(0)
        await second.page.goto(`${issuer}/sign-in?return=%2Foperator`)
        await second.page.getByRole('button', { name: 'Test Wallet' }).click()
        await second.page.getByText('These pages are for operators.').waitFor()
        expect([...first.complaints, ...second.complaints]).toEqual([])
        const [operators] = await database.query<{ count: number }>('SELECT count(*) AS count FROM operators')
        expect(operators?.count).toBe(1)
      },
    )
  },
)
