import { Button, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { texts } from '../texts/shell.ts'
import { Frame } from './frame.tsx'
import { PageTitle } from './page-title.tsx'

/** In the place of a page that does not exist. */
export function NotHere() {
  return (
    <>
      <PageTitle>{texts.notFound.title}</PageTitle>
      <Text>{texts.notFound.text}</Text>
      <Group>
        <Button component={Link} href="/account">
          {texts.notFound.home}
        </Button>
      </Group>
    </>
  )
}

export function NotFound() {
  return (
    <Frame>
      <NotHere />
    </Frame>
  )
}
