import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type PersonProfile, personQuery } from '../api/people.ts'
import { sessionQuery } from '../api/session.ts'
import type { PageProps } from '../navigation/page.ts'
import { atTime, onDay } from '../shell/dates.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { content, serverApi, signIn } from '../texts/index.ts'
import { people as texts } from '../texts/operator-pages.ts'
import { OperatorRights } from './operator-rights.tsx'
import { PersonAccess } from './person-access.tsx'
import { PersonBans } from './person-bans.tsx'
import { PersonalData } from './personal-data.tsx'
import { Suspension } from './suspension.tsx'

/** `/operator/people/:id`: an account with its identities, spaces, points, apps and access. */
export default function PersonPage({ params: { id = '' } }: PageProps) {
  const person = useQuery(personQuery(id))
  const ownId = useQuery(sessionQuery).data?.account?.id
  if (person.isPending) return <Loading />
  if (person.isLoadingError) return <LoadFailure error={person.error} retry={() => void person.refetch()} />
  return <Profile key={id} person={person.data} isOwn={id === ownId} />
}

function Profile({ person, isOwn }: { person: PersonProfile; isOwn: boolean }) {
  const { id, username, createdAt, operator, suspension, sessions, lastSeenAt } = person
  const facts = [
    texts.created(onDay(createdAt)),
    texts.sessions(sessions),
    ...(lastSeenAt === null ? [] : [texts.seen(atTime(lastSeenAt))]),
    texts.id(id),
  ]
  const lead = (
    <Group gap="xs" component="span">
      {operator && (
        <Badge variant="default" tt="none">
          {texts.operator}
        </Badge>
      )}
      {suspension && (
        <Badge color="red" variant="light" tt="none">
          {texts.suspended}
        </Badge>
      )}
      <span style={{ overflowWrap: 'anywhere' }}>{facts.join(' · ')}</span>
    </Group>
  )
  const log = (
    <Button component={Link} href={`/operator/log?account=${id}`} variant="default">
      {texts.log}
    </Button>
  )
  return (
    <PageLayout title={username} lead={lead} actions={log}>
      {suspension && <Notice kind="warning" title={texts.since(atTime(suspension.suspendedAt), suspension.reason)} />}
      <Belongings person={person} />
      <PersonAccess person={person} />
      <PersonBans accountId={id} />
      {isOwn ? (
        <Notice title={texts.own} />
      ) : (
        <>
          <Suspension person={person} />
          <OperatorRights person={person} />
          <PersonalData person={person} />
        </>
      )}
    </PageLayout>
  )
}

function Belongings({ person: { identities, passkeys, spaces, points, apps } }: { person: PersonProfile }) {
  return (
    <>
      <Facts
        title={texts.identities}
        none={texts.noIdentities}
        rows={[
          ...identities.map(({ kind, subject, username, linkedAt }) => ({
            key: `${kind} ${subject}`,
            name: signIn.kinds[kind] ?? kind,
            about: [...(username === null ? [] : [username]), subject, texts.linked(onDay(linkedAt))].join(' · '),
          })),
          ...(passkeys > 0 ? [{ key: 'passkeys', name: texts.passkeys(passkeys), about: '' }] : []),
        ]}
      />
      <Facts
        title={texts.spaces}
        none={texts.noSpaces}
        rows={spaces.map(({ spaceId, name, role }) => ({
          key: String(spaceId),
          name: (
            <Link href={`/content/spaces/${spaceId}`} className="text-link">
              {name}
            </Link>
          ),
          about: content.standings[role],
        }))}
      />
      <Facts
        title={texts.points}
        none={texts.noPoints}
        rows={points.map(({ spaceId, name, address, points: count }) => ({
          key: `${spaceId} ${address}`,
          name: (
            <Link href={`/explore/spaces/${spaceId}`} className="text-link">
              {name}
            </Link>
          ),
          about: texts.pointsOf(count, address),
        }))}
      />
      <Facts
        title={texts.apps}
        none={texts.noApps}
        rows={apps.map(({ clientId, name, status }) => ({
          key: clientId,
          name,
          about: `${(serverApi.apps.status as Record<string, string>)[status] ?? status} · ${clientId}`,
        }))}
      />
    </>
  )
}

interface FactsProps {
  title: string
  none: string
  rows: { key: string; name: ReactNode; about: string }[]
}

function Facts({ title, none, rows }: FactsProps) {
  return (
    <Section title={title}>
      {rows.length === 0 && <Text c="dimmed">{none}</Text>}
      <ul className="rows">
        {rows.map(({ key, name, about }) => (
          <li key={key} className="row">
            <div className="row-main">
              <Text fw={500}>{name}</Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {about}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
