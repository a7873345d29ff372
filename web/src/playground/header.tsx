import { Anchor, Code, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from '../shell/brand.tsx'
import { Preferences } from '../shell/preferences.tsx'
import { playground as texts, shell } from '../texts/index.ts'

const t = texts
const pages = [
  { href: '/docs', label: shell.manual },
  { href: '/explore', label: shell.explore },
  { href: '/settings/server-api', label: shell.serverApi },
]

/** The heading of the playground: description, links, and authentication. */
export function Header({ children }: { children: ReactNode }) {
  return (
    <header className="playground-header">
      <div className="playground-title">
        <Title order={1} size="h3">
          <a href="/" className="home-link">
            <Brand />
          </a>
        </Title>
        <Text span size="sm" c="dimmed">
          {t.subtitle}
        </Text>
        <nav className="playground-links" aria-label={shell.navigation}>
          {pages.map(({ href, label }) => (
            <Anchor key={href} href={href} size="sm">
              {label}
            </Anchor>
          ))}
        </nav>
        <span className="playground-preferences">
          <Preferences />
        </span>
      </div>
      <Text size="sm">
        {t.introduction.before} <Code>POST /query</Code> {t.introduction.between} <Code>access-token</Code>
        {t.introduction.after}{' '}
        <Anchor href="/schema.graphql" underline="always">
          /schema.graphql
        </Anchor>
      </Text>
      {children}
    </header>
  )
}
