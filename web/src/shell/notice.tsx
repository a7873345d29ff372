import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'

const colours = { fault: 'red', warning: 'yellow', good: 'teal', plain: 'gray' }

/** Something that a reader must hear at once (a fault), or may read when they come to it. */
export function Notice({
  kind = 'plain',
  title,
  children,
}: {
  kind?: keyof typeof colours
  title?: string
  children?: ReactNode
}) {
  return (
    <Alert
      className="notice"
      color={colours[kind]}
      title={title}
      role={kind === 'fault' ? 'alert' : 'status'}
      variant="light"
    >
      {children}
    </Alert>
  )
}
