import { Button, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { shell as texts } from '../texts/index.ts'
import { Frame } from './frame.tsx'
import { PageTitle } from './page-title.tsx'

/** Shown in place of a page that failed while it was drawn, or whose files an update of the service has removed. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    if (!this.state.broken) return this.props.children
    return (
      <Frame>
        <PageTitle>{texts.broken.title}</PageTitle>
        <Text role="alert">{texts.broken.text}</Text>
        <Button onClick={() => window.location.reload()}>{texts.broken.reload}</Button>
      </Frame>
    )
  }
}
