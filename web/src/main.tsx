import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.css'
import './shell/shell.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/session.ts'
import { Pages } from './pages.tsx'
import { Toasts } from './shell/toasts.tsx'
import { styleNonce } from './style-nonce.ts'
import { readableColours, theme } from './theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('app.html has no element #root')

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColours}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Pages />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
