import { EmptyState, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  icon: IconName
  title: string
  text?: string
  /** The next action: a button or a link. */
  children?: ReactNode
}

/** Replaces an empty list: describes its entries and links to the action that creates the first. */
export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <EmptyState
      className="empty"
      icon={<Icon name={icon} size={28} />}
      title={title}
      description={text}
      withIndicatorBackground
    >
      {children !== undefined && <EmptyState.Actions>{children}</EmptyState.Actions>}
    </EmptyState>
  )
}

/** Like Empty, in one line, for pages with several lists. */
export function EmptyLine({ title, text, children }: Omit<EmptyProps, 'icon'>) {
  return (
    <div className="empty-line">
      <Text size="sm" c="dimmed" className="empty-line-text">
        {text === undefined ? `${title}.` : `${title}. ${text}`}
      </Text>
      {children}
    </div>
  )
}
