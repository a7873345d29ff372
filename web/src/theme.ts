import { createTheme, type CSSVariablesResolver } from '@mantine/core'

/** Colours and type of every page. */
export const theme = createTheme({
  primaryColor: 'violet',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
})

/** The library's quiet text does not reach a contrast of 4.5:1; these shades do. */
export const readableColours: CSSVariablesResolver = (resolved) => ({
  variables: {},
  light: { '--mantine-color-dimmed': resolved.colors.gray[7], '--mantine-color-placeholder': resolved.colors.gray[6] },
  dark: { '--mantine-color-dimmed': resolved.colors.dark[1], '--mantine-color-placeholder': resolved.colors.dark[2] },
})
