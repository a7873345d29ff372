import './explore.css'
import { Anchor, Badge, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { eligibilityReliable } from '@questboard/client'
import { Link } from 'wouter'
import { isWebLink } from '../../../server/src/text/links.ts'
import { runQuery } from '../api/graph.ts'
import { listStateQuery } from '../api/sources.ts'
import type { PageProps } from '../navigation/page.ts'
import { atTime, atUnixTime } from '../shell/dates.ts'
import { Description } from '../shell/description.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { number } from '../shell/numbers.ts'
import { PageTitle } from '../shell/page-title.tsx'
import { Section } from '../shell/section.tsx'
import { content, explore as texts, sources } from '../texts/index.ts'
import { EligibilityCheck } from './eligibility-check.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type CredentialAnswer, credentialRequest } from './requests.ts'
import { statusOf } from './sync-status.ts'
import { UnreadablePage } from './unreadable-page.tsx'
import { Values } from './values.tsx'

const t = texts.credential
const REREAD_MS = 5_000
const { types, actTypes } = content.credential
/** A credential with the source CSV can also be a list without a source, which queries do not show. */
const kinds: Record<string, string> = { ...sources.kinds, CSV: sources.listOrFile }

/** Who the holders are. A quiz or a visit also has holders without an address. */
function typeOf({ credType, credSource }: CredentialAnswer['credential']): string | null {
  const act = credSource === 'QUIZ' || credSource === 'VISIT_LINK' ? actTypes[credType ?? ''] : undefined
  return act ?? types[credType ?? ''] ?? credType
}

/** `/explore/credentials/ID`: a credential, whether its list is current, and a check of one address. */
export default function CredentialPage({ params: { id = '' } }: PageProps) {
  const request = credentialRequest(id)
  const read = useQuery({
    queryKey: ['graph', 'credential', id],
    queryFn: () => runQuery<CredentialAnswer>(request),
    // A synchronization is watched to its end.
    refetchInterval: ({ state }) => (state.data?.credential.syncStatus === 'SYNCING' ? REREAD_MS : false),
  })
  const list = useQuery({ ...listStateQuery(id), retry: false, refetchInterval: REREAD_MS * 6 }).data
  if (read.isPending) return <Loading />
  if (read.isLoadingError)
    return <UnreadablePage kind="credentials" error={read.error} retry={() => void read.refetch()} />
  const { credential } = read.data
  const reliable = eligibilityReliable(credential)
  const failing = list?.failing ?? false
  const status = failing ? (list?.inTeam ? sources.failedRun : t.notUpdated) : statusOf(credential)
  return (
    <Stack>
      <PageTitle>{credential.name}</PageTitle>
      <Fault error={read.error} />
      <Description text={credential.description} />
      <Section title={texts.space.about}>
        <div>
          <Badge variant="light" color={failing ? 'red' : reliable.ok ? 'teal' : 'yellow'} tt="none">
            {status}
          </Badge>
        </div>
        {failing ? (
          <Notice kind="warning" title={sources.failing}>
            {sources.failingText}
          </Notice>
        ) : (
          !reliable.ok && (
            <Notice kind="warning" title={t.stale}>
              {t.staleText(status)}
            </Notice>
          )
        )}
        {failing && list?.inTeam && (
          <Link href={`/content/credentials/${id}`} className="text-link">
            {sources.seeSource}
          </Link>
        )}
        <Values
          of={[
            [t.holders, credential.itemCount === null ? null : number(credential.itemCount)],
            [t.type, typeOf(credential)],
            [t.source, kinds[credential.credSource ?? ''] ?? credential.credSource],
            [t.chain, credential.chain],
            // The `lastSync` of a new credential is the time of its creation.
            [t.synced, list?.syncedAt && atTime(list.syncedAt)],
            [t.updated, atUnixTime(credential.lastUpdate)],
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
      <EligibilityCheck key={id} id={id} />
      <QueryBehind request={request} />
    </Stack>
  )
}

/** Imports of earlier versions stored texts that are not links, too. */
function Reference({ link }: { link: string }) {
  if (!isWebLink(link)) return link
  return (
    <Anchor href={link} rel="nofollow noreferrer">
      {link}
    </Anchor>
  )
}
