import { Title } from '@mantine/core'
import { useEffect, useRef } from 'react'

/** The heading of a step. It takes the focus, because the button of the previous step no longer exists. */
export function StepTitle({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Title order={2} size="h4" ref={heading} tabIndex={-1} className="page-title">
      {children}
    </Title>
  )
}
