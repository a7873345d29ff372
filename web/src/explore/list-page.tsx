import { Stack } from '@mantine/core'
import { Link } from 'wouter'
import { PageTitle } from '../shell/page-title.tsx'
import { explore as texts } from '../texts/index.ts'
import { AllEntries } from './entry-list.tsx'
import { PublicQuests } from './public-quests.tsx'
import type { Kind } from './unreadable-page.tsx'

/** `/explore/spaces`, `/explore/starboards`, `/explore/credentials`, `/explore/quests`: all of a kind. */
export function ListPage({ kind }: { kind: Kind }) {
  return (
    <Stack>
      <PageTitle>{texts.kinds[kind]}</PageTitle>
      {kind === 'quests' ? <PublicQuests /> : <AllEntries kind={kind} />}
      <Link href="/explore" className="text-link">
        {texts.back}
      </Link>
    </Stack>
  )
}
