import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { profileQuery } from '../api/account.ts'
import { type Account, signOut } from '../api/session.ts'
import { language, shell as texts } from '../texts/index.ts'
import { LANGUAGES, type Language } from '../texts/language.ts'
import { Avatar, ownAvatar } from './avatar.tsx'
import { changeLanguage } from './change-language.ts'
import { Icon } from './icon.tsx'
import { toast } from './toasts.tsx'
import { mayLeave } from './unsaved.ts'
import { useMutation } from './use-mutation.ts'

const schemes = ['auto', 'light', 'dark'] as const

/** The menu of every page: own pages, theme, language, sign out. */
export function AccountMenu({ account }: { account: Account }) {
  const avatar = useQuery(profileQuery).data?.avatar ?? ''
  const leave = useMutation({ mutationFn: signOut, onError: () => toast(texts.stillSignedIn) })
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={240} shadow="md" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <UnstyledButton className="account-button" aria-label={texts.accountMenu(account.username)}>
          <Avatar seed={account.username} src={ownAvatar(avatar)} size={28} />
          <span className="account-name">{account.username}</span>
          <Icon name="down" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{account.username}</Menu.Label>
        <Menu.Item component={Link} href="/account" leftSection={<Icon name="user" />}>
          {texts.account}
        </Menu.Item>
        <Menu.Item component={Link} href="/account/security" leftSection={<Icon name="shield" />}>
          {texts.security}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{texts.theme}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(schemes.find((known) => known === scheme) ?? 'auto')}
        >
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {texts.themes[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{texts.language}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(chosen) => changeLanguage(chosen as Language)}>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <Menu.RadioItem key={code} value={code} lang={code}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" />} onClick={() => mayLeave() && leave.mutate()}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
