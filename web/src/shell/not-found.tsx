import { Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { shell as texts } from '../texts/index.ts'
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
  list = { href: '/account', label: texts.notFound.home },
}: NotHereProps) {
  return (
    <Stack>
      <PageTitle>{title}</PageTitle>
      <Text>{text}</Text>
      <Group>
        <Button component={Link} href={list.href}>
          {list.label}
        </Button>
      </Group>
    </Stack>
  )
}
