import { createContext, type ReactNode, use, useState } from 'react'
import { createPortal } from 'react-dom'
import { Link } from 'wouter'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { useCurrentPage } from '../navigation/current-page.ts'
import { titleOf } from '../navigation/groups.ts'
import { shell as texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'

const CrumbList = createContext<HTMLElement | null>(null)

/** The group of the current page and the pages above it, each a link back. The heading below is the page itself. */
export function Breadcrumb({ children }: { children: ReactNode }) {
  const [list, setList] = useState<HTMLElement | null>(null)
  const current = useCurrentPage()
  const account = useQuery(sessionQuery).data?.account ?? undefined
  return (
    <CrumbList value={list}>
      {current && (
        <nav className="breadcrumb" aria-label={texts.breadcrumb}>
          <ol ref={setList}>
            <li>{current.group.title}</li>
            {current.ancestors.map((page) => (
              <li key={page.path}>
                <Icon name="forward" size={14} />
                <Link href={page.path}>{titleOf(page, account)}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {children}
    </CrumbList>
  )
}

/** Adds the object that contains the current one to the end of the breadcrumb. */
export function Crumb({ children }: { children: ReactNode }) {
  const list = use(CrumbList)
  if (!list) return null
  const item = (
    <li>
      <Icon name="forward" size={14} />
      {children}
    </li>
  )
  return createPortal(item, list)
}
