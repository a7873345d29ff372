import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Crumb } from './breadcrumb.tsx'
import { PageTitle } from './page-title.tsx'

interface PageLayoutProps {
  title: ReactNode
  /** The name of the tab of the browser, if the title is not its text. */
  tab?: string
  /** A link to the object that contains this one. */
  parent?: ReactNode
  lead?: ReactNode
  /** Buttons of the most common actions. */
  actions?: ReactNode
  children: ReactNode
}

/** The heading of a page with its actions, and the content below. */
export function PageLayout({ title, tab, parent, lead, actions, children }: PageLayoutProps) {
  return (
    <Stack>
      {parent !== undefined && <Crumb>{parent}</Crumb>}
      <div className="page-heading">
        <div className="page-heading-text">
          <PageTitle {...(tab !== undefined && { name: tab })}>{title}</PageTitle>
          {lead !== undefined && (
            <Text c="dimmed" size="sm">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </Stack>
  )
}
