import { matchRoute, useLocation, useRouter } from 'wouter'
import { ancestorsOf, pages } from './groups.ts'
import type { Page, PageGroup } from './page.ts'

/** The page at the current address, its group, and the pages above it; undefined if there is no such page. */
export function useCurrentPage(): { page: Page; group: PageGroup; ancestors: Page[] } | undefined {
  const { parser } = useRouter()
  const [address] = useLocation()
  const current = pages.find(({ page }) => matchRoute(parser, page.path, address)[0])
  return current && { ...current, ancestors: ancestorsOf(current.page) }
}
