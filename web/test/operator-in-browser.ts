import type { Browser, BrowserContext } from 'playwright-core'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile } from './browser.ts'
import { actAs } from './signed-in.ts'

const settings = {
  QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
}

export interface OperatorInBrowser {
  world: World
  issuer: string
  browser: Browser
  /** The browser profile in which the operator is signed in. */
  profile: BrowserContext
  operator: SignedIn
  close: () => Promise<void>
}

/** Starts a service with the fixture, and a browser in which an operator is signed in, at the time of the fixture. */
export async function operatorInBrowser(): Promise<OperatorInBrowser> {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const [world, browser] = await Promise.all([
    startWorld({ port, settings: { ...settings, QUESTBOARD_PUBLIC_URL: issuer } }),
    openBrowser(),
  ])
  const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  await profile.clock.setFixedTime(NOW)
  const operator = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
  await actAs(profile, issuer, operator)
  const close = async (): Promise<void> => {
    await browser.close()
    await world.stop()
  }
  return { world, issuer, browser, profile, operator, close }
}
