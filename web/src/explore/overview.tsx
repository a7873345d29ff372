import './explore.css'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { entriesQuery } from '../api/explore.ts'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { explore as texts } from '../texts/index.ts'
import { FewEntries } from './entry-list.tsx'
import { OpenById } from './open-by-id.tsx'
import { PublicQuests } from './public-quests.tsx'

const kinds = ['spaces', 'starboards', 'credentials'] as const

/** `/explore`: objects of the account, objects that every account may read, and a form that opens any by its id. */
export default function OverviewPage() {
  const entries = useQuery(entriesQuery)
  const owned = kinds.filter((kind) => (entries.data?.[kind].length ?? 0) > 0)
  return (
    <PageLayout title={texts.title} lead={texts.lead}>
      <Section title={texts.yours}>
        {entries.isPending && <Loading />}
        {entries.isError && <LoadFailure error={entries.error} retry={() => void entries.refetch()} />}
        {entries.data && (
          <>
            {owned.length === 0 && <Text>{texts.nothingYours}</Text>}
            {owned.length > 0 && (
              <dl className="values entries">
                {owned.map((kind) => (
                  <div key={kind}>
                    <dt>{texts.kinds[kind]}</dt>
                    {entries.data[kind].map(({ id, name }) => (
                      <dd key={id}>
                        <Link href={`/explore/${kind}/${id}`} className="text-link">
                          {name}
                        </Link>
                      </dd>
                    ))}
                  </div>
                ))}
              </dl>
            )}
            {!entries.data.complete && <Text size="sm">{texts.incomplete}</Text>}
          </>
        )}
      </Section>
      <Section title={texts.public}>
        <div className="entry-columns">
          {kinds.map((kind) => (
            <FewEntries key={kind} kind={kind} />
          ))}
        </div>
      </Section>
      <OpenById />
      <PublicQuests />
    </PageLayout>
  )
}
