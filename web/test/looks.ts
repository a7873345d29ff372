import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityProblems, isWiderThanWindow, keepScreenshot, type Scheme } from './browser.ts'

const HEIGHT = 800
const WIDE = 1440
const MEDIUM = 768
const NARROW = 360

/** Widths and colour schemes in which every page is photographed. */
export const looks: readonly { scheme: Scheme; width: number }[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [WIDE, MEDIUM, NARROW].map((width) => ({ scheme, width })),
)

/** axe takes seconds a page, so it looks at one wide and one narrow window, one in each colour scheme. */
const isInspected = ({ scheme, width }: (typeof looks)[number]) => width === (scheme === 'light' ? WIDE : NARROW)

/** Checks that a page fits and is accessible, and keeps a screenshot of it in each look. */
export async function checkLooks(page: Page, name: string): Promise<void> {
  for (const look of looks) {
    const { scheme, width } = look
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: HEIGHT })
    await page
      .locator(`html[data-mantine-color-scheme=${scheme}], html:not([data-mantine-color-scheme])`)
      .waitFor({ state: 'attached' })
    await keepScreenshot(page, `${name}-${scheme}-${width}`)
    expect(await isWiderThanWindow(page), `${name} ${scheme} ${width}`).toBe(false)
    if (isInspected(look)) expect(await accessibilityProblems(page), `${name} ${scheme} ${width}`).toEqual([])
  }
  await page.setViewportSize({ width: WIDE, height: HEIGHT })
}
