import type { Browser, BrowserContext } from 'playwright-core'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile } from './browser.ts'
import { actAs } from './signed-in.ts'

const usual = {
  QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  // The clock stands still, so all tests of a file ask in one second.
  QUESTBOARD_FREE_PER_SECOND: '1000',
}

export interface PersonInBrowser {
  world: World
  issuer: string
  browser: Browser
  /** The browser profile in which the person is signed in. */
  profile: BrowserContext
  person: SignedIn
  close: () => Promise<void>
}

/** Starts a service with the fixture, and a browser in which a new account is signed in, at the time of the fixture. */
export async function personInBrowser(settings: Record<string, string> = {}): Promise<PersonInBrowser> {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const [world, browser] = await Promise.all([
    startWorld({ port, settings: { ...usual, ...settings, QUESTBOARD_PUBLIC_URL: issuer } }),
    openBrowser(),
  ])
  const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  await profile.clock.setFixedTime(NOW)
  const person = await signedInBrowser(world.app)
  await actAs(profile, issuer, person)
  const close = async (): Promise<void> => {
    await browser.close()
    await world.stop()
  }
  return { world, issuer, browser, profile, person, close }
}
