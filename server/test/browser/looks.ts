import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityProblems, isWiderThanWindow, keepScreenshot, type Scheme } from './browser.ts'

const HEIGHT = 800
const looks: readonly { scheme: Scheme; width: number; inspected: boolean }[] = [
  { scheme: 'light', width: 1280, inspected: true },
  { scheme: 'dark', width: 1280, inspected: false },
  { scheme: 'light', width: 360, inspected: false },
  { scheme: 'dark', width: 360, inspected: true },
]

/** A page as it stands, at two widths and in two themes: it fits, is accessible, and has its picture taken. */
export async function checkLooks(page: Page, name: string): Promise<void> {
  for (const { scheme, width, inspected } of looks) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: HEIGHT })
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' })
    await keepScreenshot(page, `${name}-${scheme}-${width}`)
    expect(await isWiderThanWindow(page), `${name} ${scheme} ${width}`).toBe(false)
    if (inspected) expect(await accessibilityProblems(page), `${name} ${scheme} ${width}`).toEqual([])
  }
  const [first] = looks
  if (first) await page.setViewportSize({ width: first.width, height: HEIGHT })
}
