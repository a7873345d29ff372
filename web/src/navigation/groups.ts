import type { Account } from '../api/session.ts'
import { community } from './community.ts'
import { developers } from './developers.ts'
import { operator } from './operator.ts'
import type { Page, PageGroup } from './page.ts'
import { you } from './you.ts'

/** The pages of the app in the order of the sidebar. To add a page, declare it in the file of its group. */
export const groups: readonly PageGroup[] = [you, community, developers, operator]

/** Every page with the group that it belongs to. */
export const pages: readonly { page: Page; group: PageGroup }[] = groups.flatMap((group) =>
  group.pages.map((page) => ({ page, group })),
)

export const mayOpen = (account: Account, { page, group }: { page: Page; group: PageGroup }): boolean =>
  (page.isFor ?? group.isFor ?? (() => true))(account)

export const titleOf = ({ title, titleFor }: Page, account: Account | undefined): string =>
  account && titleFor ? titleFor(account) : title

/** The pages above a page, the outermost first. */
export function ancestorsOf({ parent }: Page): Page[] {
  const above = pages.find(({ page }) => page.path === parent)?.page
  return above ? [...ancestorsOf(above), above] : []
}
