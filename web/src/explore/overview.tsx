import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { entriesQuery } from '../api/explore.ts'
import { sessionQuery } from '../api/session.ts'
import { Loading } from '../shell/loading.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { Section } from '../shell/section.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { texts } from '../texts/explore.ts'
import { OpenById } from './open-by-id.tsx'
import { PublicQuests } from './public-quests.tsx'

const kinds = ['spaces', 'starboards', 'credentials'] as const

/** `/explore`: what the account owns, anything by its id, and the public quests. */
export function Overview() {
  const entries = useQuery(entriesQuery)
  const operator = useQuery(sessionQuery).data?.account?.operator === true
  return (
    <Stack>
      <PageTitle>{texts.title}</PageTitle>
      <Text c="dimmed">{texts.lead}</Text>
      <Section title={operator ? texts.all : texts.yours} lead={operator ? texts.allLead : texts.yoursLead}>
        {entries.isPending && <Loading />}
        {entries.isError && <Unreadable error={entries.error} retry={() => void entries.refetch()} />}
        {entries.data && (
          <>
            <dl className="values entries">
              {kinds.map((kind) => (
                <div key={kind}>
                  <dt>{texts.kinds[kind]}</dt>
                  {entries.data[kind].length === 0 && <dd>{texts.nothing}</dd>}
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
            {!entries.data.complete && <Text size="sm">{texts.incomplete}</Text>}
          </>
        )}
      </Section>
      <OpenById />
      <PublicQuests />
    </Stack>
  )
}
