import { Title } from '@mantine/core'
import { useEffect, useRef } from 'react'

/** The heading of a step that took the place of the one before; it takes the focus of the button that is gone. */
export function StepTitle({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Title order={2} size="h4" ref={heading} tabIndex={-1} className="page-title">
      {children}
    </Title>
  )
}
