import './explore.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { sessionQuery } from '../api/session.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { content, explore as texts } from '../texts/index.ts'
import { AllEntries } from './entry-list.tsx'

/** `/explore/starboards` */
export default function StarboardsPage() {
  const isOperator = useQuery(sessionQuery).data?.account?.operator === true
  const add = (
    <Button component={Link} href="/content/new-starboard">
      {content.starboard.new}
    </Button>
  )
  return (
    <PageLayout title={texts.kinds.starboards} actions={isOperator ? add : undefined}>
      <AllEntries kind="starboards" />
    </PageLayout>
  )
}
