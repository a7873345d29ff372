import { Button, Group, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { type Participant, participantsFile, participantsQuery } from '../api/content.ts'
import { isAccountAddress } from '../shell/account-address.ts'
import { atTime } from '../shell/dates.ts'
import { EmptyLine } from '../shell/empty.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { useDraft, usePageParameter } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { content, explore, shell } from '../texts/index.ts'

const t = content.participants
/** The ID of the section. */
export const PARTICIPANTS_PLACE = 'participants'

/** The members who completed a quest, for the editors of its space. */
export function Participants({ questId, count }: { questId: string; count: number }) {
  const [given, setSearch] = usePageParameter('q')
  const search = given.trim()
  const [typed, setTyped] = useDraft(search)
  const list = useInfiniteQuery(participantsQuery(questId, search))
  const shown = list.data?.pages.flatMap(({ items }) => items) ?? []
  const isPartial = list.data?.pages.some(({ complete }) => !complete) ?? false
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSearch(typed.trim())
  }
  const isEmpty = list.data !== undefined && shown.length === 0
  return (
    <div id={PARTICIPANTS_PLACE}>
      <Section title={t.title}>
        {isEmpty && search === '' ? (
          <EmptyLine title={t.none} text={count > 0 ? t.onlyCounted(count) : t.noneText} />
        ) : (
          <form className="line-form" onSubmit={submit}>
            <TextInput
              type="search"
              label={t.search}
              value={typed}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Group gap="xs">
              <Button type="submit" variant="default">
                {explore.find}
              </Button>
              <Button component="a" href={participantsFile(questId)} download variant="default">
                {t.download}
              </Button>
            </Group>
            <Text size="sm" c="dimmed" w="100%">
              {t.downloadHelp}
            </Text>
          </form>
        )}
        {list.isPending && <Loading />}
        {list.isLoadingError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
        {isPartial && <Text role="status">{t.partial}</Text>}
        {isEmpty && !isPartial && search !== '' && <Text role="status">{t.noMatch}</Text>}
        <ul className="rows">
          {shown.map((one) => (
            <Row key={one.address} participant={one} />
          ))}
        </ul>
        <MoreButton list={list} label={shell.more} />
      </Section>
    </div>
  )
}

function Row({ participant: { address, name, completedAt, points } }: { participant: Participant }) {
  // The address of an account without a wallet is a random ID.
  const where = isAccountAddress(address) ? t.noWallet : address
  const facts = [atTime(completedAt), points === null ? t.imported : explore.quests.gives(points)]
  return (
    <li className="row">
      <div className="row-main participant">
        <Text>{name}</Text>
        <Text size="sm" c="dimmed">
          {facts.join(' · ')}
        </Text>
        <Text size="xs" c="dimmed" className={isAccountAddress(address) ? undefined : 'mono'}>
          {where}
        </Text>
      </div>
    </li>
  )
}
