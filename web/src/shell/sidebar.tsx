import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { Account } from '../api/session.ts'
import { useCurrentPage } from '../navigation/current-page.ts'
import { groups, mayOpen } from '../navigation/groups.ts'
import { shell as texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'

/** Leads to the pages that an account may open, by group. */
export function Sidebar({ account, onLeave }: { account: Account; onLeave?: () => void }) {
  const current = useCurrentPage()
  const currentPath = current?.page.path
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    if (nav.current) showEntry(nav.current)
  }, [currentPath])
  const isAbove = (path: string) => current?.ancestors.some((page) => page.path === path)
  const shown = groups
    .map((group) => ({ group, entries: group.pages.filter((page) => page.icon && mayOpen(account, { page, group })) }))
    .filter(({ entries }) => entries.length > 0)
  return (
    <nav ref={nav} className="sidebar" aria-label={texts.navigation}>
      {shown.map(({ group, entries }) => (
        <section key={group.title} aria-label={group.title}>
          <p className="sidebar-title" aria-hidden>
            {group.title}
          </p>
          <ul>
            {entries.map(({ path, title, icon }) => (
              <li key={path}>
                <Link
                  href={path}
                  className="sidebar-link"
                  aria-current={path === currentPath ? 'page' : isAbove(path) ? 'true' : undefined}
                  onClick={onLeave}
                >
                  {icon && <Icon name={icon} />}
                  {title}
                </Link>
              </li>
            ))}
            {group.elsewhere?.map(({ href, title, icon }) => (
              <li key={href}>
                <a href={href} className="sidebar-link">
                  <Icon name={icon} />
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

/** Scrolls a low sidebar to the entry of the page. `scrollIntoView` would also move the start of keyboard navigation. */
function showEntry(nav: HTMLElement): void {
  const entry = nav.querySelector('[aria-current]')?.getBoundingClientRect()
  const side = nav.parentElement
  if (!entry || !side) return
  const { top, bottom } = side.getBoundingClientRect()
  if (entry.bottom > bottom) side.scrollTop += entry.bottom - bottom
  else if (entry.top < top) side.scrollTop -= top - entry.top
}
