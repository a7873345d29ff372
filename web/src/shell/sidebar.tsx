import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type Account, queryClient } from '../api/session.ts'
import { useCurrentPage } from '../navigation/current-page.ts'
import { groups, mayOpen, titleOf } from '../navigation/groups.ts'
import type { PageGroup } from '../navigation/page.ts'
import { shell as texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'
import { keepChoice, readChoice } from './local-choice.ts'

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
        <Group key={group.title} group={group} account={account} isHere={current?.group === group}>
          {entries
            .map((entry) => ({ ...entry, title: titleOf(entry, account) }))
            .map(({ path, title, icon }) => (
              <li key={path}>
                <Link
                  href={path}
                  className="sidebar-link"
                  aria-current={path === currentPath ? 'page' : isAbove(path) ? 'true' : undefined}
                  onClick={() => {
                    if (path === currentPath) void queryClient.refetchQueries({ type: 'active' })
                    onLeave?.()
                  }}
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
        </Group>
      ))}
    </nav>
  )
}

interface GroupProps {
  group: PageGroup
  account: Account
  /** Whether the current page belongs to the group. */
  isHere: boolean
  /** The entries of the list. */
  children: ReactNode
}

function Group({ group, account, isHere, children }: GroupProps) {
  return (
    <section aria-label={group.title}>
      {group.isFolded ? (
        <Fold
          title={group.title}
          name={`questboard.fold.${account.id}`}
          isFolded={group.isFolded(account)}
          isHere={isHere}
        >
          {children}
        </Fold>
      ) : (
        <>
          <p className="sidebar-title" aria-hidden>
            {group.title}
          </p>
          <ul>{children}</ul>
        </>
      )}
    </section>
  )
}

interface FoldProps {
  title: string
  /** The name under which this browser keeps the choice. */
  name: string
  isFolded: boolean
  isHere: boolean
  children: ReactNode
}

const OPEN = 'open'

/** A list of entries that a button shows and hides. It opens by itself on a page of the list. */
function Fold({ title, name, isFolded, isHere, children }: FoldProps) {
  const [opened, setOpened] = useState(() => isHere || (readChoice(name) ?? (isFolded ? '' : OPEN)) === OPEN)
  const [wasHere, setWasHere] = useState(isHere)
  const id = useId()
  const change = (open: boolean) => {
    setOpened(open)
    keepChoice(name, open ? OPEN : 'closed')
  }
  if (wasHere !== isHere) {
    setWasHere(isHere)
    if (isHere) setOpened(true)
  }
  return (
    <>
      <button
        type="button"
        className="sidebar-title sidebar-fold"
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => change(!opened)}
      >
        {title}
        <Icon name="down" size={14} />
      </button>
      <ul id={id} hidden={!opened}>
        {children}
      </ul>
    </>
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
