import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { createSpace, type ListedSpace, spacesQuery } from '../api/content.ts'
import { sessionQuery } from '../api/session.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { useTypedParameter } from '../shell/page-parameter.ts'
import { Avatar } from '../shell/avatar.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts, explore } from '../texts/index.ts'
import { SpaceForm } from './space-form.tsx'

const empty = { name: '', description: null, slug: null }

/** `/content`: the spaces that the account may edit. */
export default function SpacesPage() {
  const isOperator = useQuery(sessionQuery).data?.account?.operator === true
  const [adding, setAdding] = useState(false)
  const [search, setSearch] = useTypedParameter('q')
  const sought = useDeferredValue(search.trim())
  const list = useQuery(spacesQuery(sought))
  const add = (
    <Button aria-expanded={adding} onClick={() => setAdding(!adding)}>
      {texts.newSpace}
    </Button>
  )
  const nothing = list.data?.items.length === 0
  return (
    <PageLayout
      title={isOperator ? texts.titleOfAll : texts.title}
      lead={isOperator ? texts.leadOfAll : texts.lead}
      actions={isOperator && add}
    >
      {adding && <NewSpace close={() => setAdding(false)} />}
      {nothing && sought === '' ? (
        !adding &&
        (isOperator ? (
          <Empty icon="space" title={texts.noSpaces} text={texts.noSpacesText} />
        ) : (
          <Empty icon="space" title={texts.none} text={texts.noneText} />
        ))
      ) : (
        <Section title={explore.all.spaces}>
          <TextInput
            type="search"
            maw="34rem"
            label={texts.search}
            value={search}
            maxLength={200}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          {list.isPending && <Loading />}
          {list.isError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
          {nothing && <Text role="status">{texts.notFound}</Text>}
          <ul className="rows">
            {list.data?.items.map((space) => (
              <SpaceRow key={space.id} space={space} />
            ))}
          </ul>
          {typeof list.data?.next === 'string' && <Text c="dimmed">{texts.more}</Text>}
        </Section>
      )}
    </PageLayout>
  )
}

function SpaceRow({ space: { id, name, standing, slug, logo, members, quests } }: { space: ListedSpace }) {
  const facts = [
    slug === null ? texts.notPublished : texts.publishedAs(`/s/${slug}`),
    texts.members(members),
    texts.quests.count(quests),
    texts.id(id),
  ]
  return (
    <li className="row">
      <Avatar seed={name} src={logo ?? undefined} size={32} />
      <div className="row-main">
        <Group gap="xs">
          <Link href={`/content/spaces/${id}`} className="text-link">
            {name}
          </Link>
          {standing !== 'operator' && (
            <Badge variant="default" tt="none">
              {texts.standings[standing]}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {facts.join(' · ')}
        </Text>
      </div>
    </li>
  )
}

function NewSpace({ close }: { close: () => void }) {
  const [, navigate] = useLocation()
  const create = useMutation({
    mutationFn: createSpace,
    onSuccess: ({ spaceId, name }) => {
      toast(texts.created(name))
      forgetUnsaved()
      navigate(`/content/spaces/${spaceId}`)
    },
  })
  return (
    <Section title={texts.newSpace}>
      <SpaceForm
        saved={empty}
        action={texts.create}
        pending={create.isPending}
        error={create.error}
        save={(form) => create.mutate(form)}
        cancel={close}
      />
    </Section>
  )
}
