import { ActionIcon, useMantineColorScheme } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'

const schemes = ['auto', 'light', 'dark'] as const
const signs = { auto: '◐', light: '☀', dark: '☾' }

/** Goes from the system's colours to light, to dark, and back. */
export function ColourScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const next = schemes[(schemes.indexOf(colorScheme) + 1) % schemes.length] ?? 'auto'
  const label = texts.colourScheme[colorScheme]
  return (
    <ActionIcon variant="default" size="lg" onClick={() => setColorScheme(next)} aria-label={label} title={label}>
      <span aria-hidden>{signs[colorScheme]}</span>
    </ActionIcon>
  )
}
