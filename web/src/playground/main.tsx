import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.css'
import { MantineProvider } from '@mantine/core'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { readableColours, theme } from '../theme.ts'

const Playground = lazy(() => import('./page.tsx'))

const root = document.getElementById('root')
if (!root) throw new Error('playground.html has no element #root')

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={readableColours} defaultColorScheme="auto">
      <Suspense>
        <Playground />
      </Suspense>
    </MantineProvider>
  </StrictMode>,
)
