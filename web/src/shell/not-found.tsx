import { Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { openSearch } from '../search/open-search.ts'
import { explore, search, shell as texts } from '../texts/index.ts'
import { PageTitle } from './page-title.tsx'

interface NotHereProps {
  title?: string
  text?: string | undefined
  /** The page that lists the existing objects. */
  list?: { href: string; label: string }
}

/** Replaces a page that does not exist. */
export function PageNotFound({
  title = texts.notFound.title,
  text = texts.notFound.text,
  list = { href: '/explore', label: explore.title },
}: NotHereProps) {
  return (
    <Stack>
      <PageTitle>{title}</PageTitle>
      <Text>{text}</Text>
      <Group gap="xs">
        <Button component={Link} href={list.href}>
          {list.label}
        </Button>
        <Button variant="default" onClick={openSearch}>
          {search.title}
        </Button>
        <Button component="a" href="/" variant="default">
          {texts.notFound.home}
        </Button>
      </Group>
    </Stack>
  )
}
