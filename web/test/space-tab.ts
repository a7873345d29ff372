import type { Locator, Page } from 'playwright-core'

/** A link of the tabs on each page of a space. */
export const spaceTab = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Parts of the space' }).getByRole('link', { name })
