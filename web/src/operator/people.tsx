import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Link } from 'wouter'
import { type ListedPerson, peopleQuery } from '../api/people.ts'
import { onDay } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { useTypedParameter } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { signIn } from '../texts/index.ts'
import { people as texts } from '../texts/operator-pages.ts'
import { InviteOperator } from './invite-operator.tsx'

/** `/operator/people`: the accounts of the installation. */
export default function PeoplePage() {
  const [inviting, setInviting] = useState(false)
  const [search, setSearch] = useTypedParameter('q')
  const sought = useDeferredValue(search.trim())
  const people = useInfiniteQuery(peopleQuery(sought))
  const found = people.data?.pages.flatMap(({ items }) => items)
  const actions = (
    <>
      <Link href="/operator/people/address" state={{ address: sought }} asChild>
        <Button component="a" variant="default">
          {texts.addressData.title}
        </Button>
      </Link>
      <Button variant="default" aria-expanded={inviting} onClick={() => setInviting(!inviting)}>
        {texts.invite}
      </Button>
    </>
  )
  return (
    <PageLayout title={texts.title} lead={texts.lead} actions={actions}>
      {inviting && <InviteOperator />}
      <Section title={texts.accounts}>
        <TextInput
          type="search"
          maw="34rem"
          label={texts.search}
          value={search}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {people.isPending && <Loading />}
        {people.isError && <LoadFailure error={people.error} retry={() => void people.refetch()} />}
        {found?.length === 0 && (
          <Empty icon="users" title={texts.none} text={texts.noneText}>
            <Button variant="default" onClick={() => setSearch('')}>
              {texts.clear}
            </Button>
          </Empty>
        )}
        <ul className="rows">
          {found?.map((person) => (
            <PersonRow key={person.id} person={person} />
          ))}
        </ul>
        <MoreButton list={people} label={texts.more} />
      </Section>
    </PageLayout>
  )
}

function PersonRow({
  person: { id, username, createdAt, operator, suspendedAt, identities, passkeys },
}: {
  person: ListedPerson
}) {
  const names = [
    ...identities.map(({ kind, subject, username: name }) => `${signIn.kinds[kind] ?? kind} ${name ?? subject}`),
    ...(passkeys > 0 ? [texts.passkeys(passkeys)] : []),
  ]
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          <Link href={`/operator/people/${id}`} className="text-link">
            {username}
          </Link>
          {operator && (
            <Badge variant="default" tt="none">
              {texts.operator}
            </Badge>
          )}
          {suspendedAt !== null && (
            <Badge color="red" variant="light" tt="none">
              {texts.suspended}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {[texts.created(onDay(createdAt)), ...(names.length > 0 ? names : [texts.noIdentities])].join(' · ')}
        </Text>
      </div>
    </li>
  )
}
