import { Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from './brand.tsx'
import { Preferences } from './preferences.tsx'

/** One card in the middle: for pages with one question. */
export function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="frame">
      <header className="frame-header">
        <Brand />
        <Preferences />
      </header>
      <main className="frame-main">
        <Paper withBorder radius="lg" className="frame-card">
          <Stack gap="md">{children}</Stack>
        </Paper>
      </main>
    </div>
  )
}
