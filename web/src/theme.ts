import { Button, createTheme, type CSSVariablesResolver } from '@mantine/core'
import { brand } from './brand.ts'
import { FocusableButton } from './shell/focusable-button.tsx'

/** Colours and type of every page. */
export const theme = createTheme({
  ...(brand.shades && { colors: { brand: brand.shades } }),
  primaryColor: brand.shades ? 'brand' : 'violet',
  primaryShade: { light: 8, dark: brand.shades ? 7 : 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  // Some components wait for the end of a transition, which shell.css prevents.
  respectReducedMotion: true,
  components: { Button: Button.extend({ defaultProps: { component: FocusableButton } }) },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
})

/**
 * The library's quiet text and its errors do not reach a contrast of 4.5:1; these shades do. Its text in dark is so quiet
 * that headings do not differ from the text below them, and its quiet red buttons are white there.
 */
export const readableColours: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[6],
    '--mantine-color-error': colors.red[9],
  },
  dark: {
    '--mantine-color-text': colors.gray[2],
    '--mantine-color-red-light-color': colors.red[4],
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': colors.red[4],
  },
})
