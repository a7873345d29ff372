import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { inspect, isWiderThanWindow, keepScreenshot, keepsScreenshots, type Scheme } from './browser.ts'

const HEIGHT = 800
const WIDE = 1440
const MEDIUM = 768
const NARROW = 360

const all: readonly { scheme: Scheme; width: number }[] = [
  { scheme: 'light', width: WIDE },
  { scheme: 'light', width: MEDIUM },
  { scheme: 'light', width: NARROW },
  { scheme: 'dark', width: WIDE },
]

/**
 * Widths and colour schemes to check. The layout does not depend on the scheme, so one width has the dark one, and only
 * screenshots need the same width in light.
 */
export const looks = keepsScreenshots ? all : all.filter(({ scheme, width }) => scheme === 'dark' || width !== WIDE)

/** axe takes seconds per page, so it runs in one wide and one narrow window, in one colour scheme each. */
const isInspected = ({ scheme, width }: (typeof looks)[number]) => width === (scheme === 'light' ? NARROW : WIDE)

/** Checks that a page fits and is accessible, and stores a screenshot of each look if they are asked for. */
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
    await keepScreenshot(page, `${name}-${scheme}-${width}`)
    expect(await isWiderThanWindow(page), `${name} ${scheme} ${width}`).toBe(false)
    if (isInspected(look)) expect(await inspect(page), `${name} ${scheme} ${width}`).toEqual([])
  }
  await page.setViewportSize({ width: WIDE, height: HEIGHT })
}
