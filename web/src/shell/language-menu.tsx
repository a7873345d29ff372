import { ActionIcon, Menu, Text, VisuallyHidden } from '@mantine/core'
import { language, shell as texts } from '../texts/index.ts'
import { LANGUAGES, type Language } from '../texts/language.ts'
import { changeLanguage } from './change-language.ts'

export function LanguageMenu() {
  const label = `${texts.language}: ${LANGUAGES[language]}`
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" title={label}>
          <Text span size="xs" fw={600}>
            {language.toUpperCase()}
          </Text>
          <VisuallyHidden>{label}</VisuallyHidden>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <Menu.Item
            key={code}
            lang={code}
            aria-current={code === language}
            onClick={() => changeLanguage(code as Language)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
