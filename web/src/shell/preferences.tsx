import { Group } from '@mantine/core'
import { ColourScheme } from './colour-scheme.tsx'
import { LanguageMenu } from './language-menu.tsx'

/** What a visitor can choose on every page, signed in or not. */
export function Preferences() {
  return (
    <Group gap="xs" wrap="nowrap">
      <LanguageMenu />
      <ColourScheme />
    </Group>
  )
}
