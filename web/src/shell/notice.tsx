import { Alert } from '@mantine/core'
import { Children, type ReactNode } from 'react'

const colours = { fault: 'red', warning: 'yellow', good: 'teal', plain: 'gray' }

/** A message. Screen readers announce a fault at once. */
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
      {Children.toArray(children).length > 0 ? children : undefined}
    </Alert>
  )
}
