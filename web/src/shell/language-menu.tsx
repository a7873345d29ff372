import { ActionIcon, Menu, Text } from '@mantine/core'
import { language, shell as texts } from '../texts/index.ts'
import { LANGUAGES, type Language, saveChoice } from '../texts/language.ts'

/** Changes the language. The page is loaded again, because texts are read when it starts. */
export function LanguageMenu() {
  const choose = (to: Language) => {
    saveChoice(to)
    location.reload()
  }
  const label = `${texts.language}: ${LANGUAGES[language]}`
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={label} title={label}>
          <Text span aria-hidden size="xs" fw={600}>
            {language.toUpperCase()}
          </Text>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <Menu.Item key={code} lang={code} aria-current={code === language} onClick={() => choose(code as Language)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
