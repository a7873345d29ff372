import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { inspect, isWiderThanWindow, keepScreenshot, keepsScreenshots, type Scheme } from './browser.ts'

const HEIGHT = 800
const WIDE = 1440
const MEDIUM = 768
const NARROW = 360

interface Look {
  scheme: Scheme
  width: number
}

const all: readonly Look[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [WIDE, MEDIUM, NARROW].map((width) => ({ scheme, width })),
)

/** The layout does not depend on the scheme, so other tests than those for screenshots check the dark one at one width. */
export const looks = keepsScreenshots ? all : all.filter(({ scheme, width }) => scheme === 'light' || width === WIDE)

/** axe takes seconds per page, so it runs in one wide and one narrow window, in one colour scheme each. */
const isInspected = ({ scheme, width }: Look) => width === (scheme === 'light' ? NARROW : WIDE)

/** Checks that a page fits and is accessible, and stores screenshots. */
export async function checkLooks(page: Page, name: string): Promise<void> {
  for (const look of looks) {
    const { scheme, width } = look
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: HEIGHT })
    await page
      .locator(`html[data-mantine-color-scheme=${scheme}], html:not([data-mantine-color-scheme])`)
      .waitFor({ state: 'attached' })
    // The header stays at the top of the window and would cover a part of the content.
    await page.evaluate('window.scrollTo(0, 0)')
    // Without screenshots, the check of the width alone waits for the page.
    if (keepsScreenshots) await keepScreenshot(page, `${name}-${scheme}-${width}`)
    expect(await isWiderThanWindow(page), `${name} ${scheme} ${width}`).toBe(false)
    if (isInspected(look)) expect(await inspect(page), `${name} ${scheme} ${width}`).toEqual([])
  }
  await page.setViewportSize({ width: WIDE, height: HEIGHT })
}
