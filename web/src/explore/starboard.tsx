import './explore.css'
import { Badge, Button, Group, Stack } from '@mantine/core'
import type { StarboardBasicInfo } from '@questboard/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { starboardPageQuery } from '../api/explore.ts'
import type { PageProps } from '../navigation/page.ts'
import { Description } from '../shell/description.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { Section } from '../shell/section.tsx'
import { content, explore as texts } from '../texts/index.ts'
import { QueryBehind } from './query-behind.tsx'
import { type StarboardAnswer, starboardRequest } from './requests.ts'
import { Ranking } from './ranking.tsx'
import { StarboardPublicPage } from './starboard-public-page.tsx'
import { UnreadablePage } from './unreadable-page.tsx'
import { usePages } from './use-pages.ts'
import { periodOf, Values } from './values.tsx'

const t = texts.starboard

/** `/explore/starboards/ID`: a starboard with its ranking and how it changed. */
export default function StarboardPage({ params: { id = '' } }: PageProps) {
  return <KnownStarboard key={id} id={id} />
}

function KnownStarboard({ id }: { id: string }) {
  const [handle, setHandle] = useState<string>()
  const request = (after?: string) => starboardRequest(id, after, handle)
  const pages = usePages<StarboardAnswer>(
    ['starboard', id, handle],
    request,
    ({ starboard }) => starboard.leaderboard?.pageInfo,
  )
  const [title, setTitle] = useState<StarboardBasicInfo>()
  const read = pages.data?.pages[0]?.starboard.basicInfo
  // A handle that is not found answers an error: the starboard stays known.
  if (read && read !== title) setTitle(read)
  const known = read ?? title
  return (
    <Stack>
      {known && <About id={id} info={known} />}
      {known && <StarboardPublicPage id={id} />}
      {known ? <Ranking starboard={id} pages={pages} handle={handle} find={setHandle} /> : null}
      {pages.isPending && !known && <Loading />}
      {pages.isLoadingError && !known && (
        <UnreadablePage kind="starboards" error={pages.error} retry={() => void pages.refetch()} />
      )}
      {known && <QueryBehind request={request()} />}
    </Stack>
  )
}

function About({ id, info }: { id: string; info: StarboardBasicInfo }) {
  const editable = useQuery(starboardPageQuery(id)).data?.editable === true
  const { name, projectName, description, tags, type, reward } = info
  return (
    <>
      <div className="page-heading">
        <div className="page-heading-text">
          <PageTitle>{name}</PageTitle>
        </div>
        {editable && (
          <div className="page-actions">
            <Button component={Link} href={`/content/starboards/${encodeURIComponent(id)}`} variant="default">
              {content.edit}
            </Button>
          </div>
        )}
      </div>
      <Description text={description} />
      <Section title={texts.space.about}>
        <Values
          of={[
            [t.project, projectName],
            [t.type, t.types[type] ?? type],
            [
              t.tags,
              tags.length > 0 && (
                <Group gap={6}>
                  {tags.map((tag) => (
                    <Badge key={tag} variant="light" color="gray" tt="none">
                      {tag}
                    </Badge>
                  ))}
                </Group>
              ),
            ],
            [t.reward, reward?.name],
            [t.period, reward && periodOf(reward)],
          ]}
        />
        <Description size="sm" text={reward?.description ?? ''} />
      </Section>
    </>
  )
}
