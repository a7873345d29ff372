import { Anchor, Badge, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { eligibilityReliable } from '@questboard/client'
import { Link } from 'wouter'
import { ask } from '../api/graph.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { number } from '../shell/numbers.ts'
import { PageTitle } from '../shell/page-title.tsx'
import { Section } from '../shell/section.tsx'
import { texts } from '../texts/explore.ts'
import { EligibilityCheck } from './eligibility-check.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type CredentialAnswer, credentialQuestion } from './questions.ts'
import { UnreadablePage } from './unreadable-page.tsx'
import { Values } from './values.tsx'

const t = texts.credential
const REREAD_MS = 5_000

/** `/explore/credentials/ID`: a credential, whether its list is current, and a check of one address. */
export function CredentialPage({ id }: { id: string }) {
  const question = credentialQuestion(id)
  const read = useQuery({
    queryKey: ['graph', 'credential', id],
    queryFn: () => ask<CredentialAnswer>(question),
    // A synchronization is watched to its end.
    refetchInterval: ({ state }) => (state.data?.credential.syncStatus === 'SYNCING' ? REREAD_MS : false),
  })
  if (read.isPending) return <Loading />
  if (read.isLoadingError)
    return <UnreadablePage kind="credentials" error={read.error} retry={() => void read.refetch()} />
  const { credential } = read.data
  const reliable = eligibilityReliable(credential)
  return (
    <Stack>
      <PageTitle>{credential.name}</PageTitle>
      <Fault error={read.error} />
      {credential.description !== '' && <Text c="dimmed">{credential.description}</Text>}
      <Section title={texts.space.about}>
        <div>
          <Badge variant="light" color={reliable.ok ? 'teal' : 'yellow'} tt="none">
            {t.sync[credential.syncStatus] ?? credential.syncStatus}
          </Badge>
        </div>
        {reliable.reasons.map(({ code, message }) => (
          <Notice key={code} kind="warning" title={t.unreliable}>
            {message}
          </Notice>
        ))}
        <Values
          of={[
            [t.holders, credential.itemCount === null ? null : number(credential.itemCount)],
            [t.type, credential.credType],
            [t.source, credential.credSource],
            [t.chain, credential.chain],
            [t.synced, moment(credential.lastSync)],
            [t.updated, moment(credential.lastUpdate)],
            [
              t.curator,
              credential.curatorSpace && (
                <Link href={`/explore/spaces/${credential.curatorSpace.id}`} className="text-link">
                  {credential.curatorSpace.name}
                </Link>
              ),
            ],
            [t.link, credential.referenceLink && <Reference key="link" link={credential.referenceLink} />],
          ]}
        />
      </Section>
      <EligibilityCheck id={id} />
      <QueryBehind question={question} />
    </Stack>
  )
}

/** Imported from elsewhere: only what leads to a page is made a link. */
function Reference({ link }: { link: string }) {
  if (!/^https?:\/\//i.test(link)) return link
  return (
    <Anchor href={link} rel="noreferrer">
      {link}
    </Anchor>
  )
}

const moment = (time: number) => atTime(new Date(time * 1_000).toISOString())
