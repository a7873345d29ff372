import { Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { brand } from '../brand.ts'
import { shell as texts } from '../texts/index.ts'

let pagesShown = 0

/** The heading of a page, and the name of the tab. It takes the focus after navigation. */
export function PageTitle({ children, name }: { children: ReactNode; name?: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const tab = name ?? (typeof children === 'string' ? children : brand.name)
  useEffect(() => {
    document.title = texts.documentTitle(tab, brand.name)
    // The first page of a visit leaves the focus where the browser put it.
    if (pagesShown++ > 0) heading.current?.focus({ preventScroll: true })
  }, [tab])
  return (
    <Title order={1} size="h3" ref={heading} tabIndex={-1} className="page-title">
      {children}
    </Title>
  )
}
