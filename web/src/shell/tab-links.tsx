import { useEffect, useRef } from 'react'
import { Link } from 'wouter'

interface TabLinksProps {
  label: string
  tabs: readonly { href: string; label: string; isCurrent: boolean }[]
}

/** The parts of a page, each at its own address. A narrow window scrolls the row to the current tab. */
export function TabLinks({ label, tabs }: TabLinksProps) {
  const row = useRef<HTMLUListElement>(null)
  const current = tabs.find(({ isCurrent }) => isCurrent)?.href
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>('[aria-current]')
    if (row.current && link) row.current.scrollLeft = link.offsetLeft - row.current.offsetLeft - 16
  }, [current])
  return (
    <nav aria-label={label}>
      <ul className="tab-links" ref={row}>
        {tabs.map(({ href, label: text, isCurrent }) => (
          <li key={href}>
            <Link href={href} className="tab-link" aria-current={isCurrent ? 'page' : undefined}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
