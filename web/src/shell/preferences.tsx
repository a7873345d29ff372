import { Group } from '@mantine/core'
import { ColourScheme } from './colour-scheme.tsx'
import { LanguageMenu } from './language-menu.tsx'

/** Theme and language, which visitors can also choose without a session. */
export function Preferences() {
  return (
    <Group gap="xs" wrap="nowrap">
      <LanguageMenu />
      <ColourScheme />
    </Group>
  )
}
