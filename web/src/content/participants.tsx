import { Button, Group, Table, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Participant, participantsFile, participantsQuery } from '../api/content.ts'
import { isAccountAddress } from '../shell/account-address.ts'
import { atTime } from '../shell/dates.ts'
import { EmptyLine } from '../shell/empty.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { content, explore, shell } from '../texts/index.ts'

const t = content.participants
/** The ID of the section. */
export const PARTICIPANTS_PLACE = 'participants'

/** The members who completed a quest, for the editors of its space. */
export function Participants({ questId, count }: { questId: string; count: number }) {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const list = useInfiniteQuery(participantsQuery(questId, search))
  const shown = list.data?.pages.flatMap(({ items }) => items) ?? []
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
          </form>
        )}
        {list.isPending && <Loading />}
        {list.isLoadingError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
        {isEmpty && search !== '' && <Text role="status">{t.noMatch}</Text>}
        {shown.length > 0 && (
          <Table.ScrollContainer minWidth={0}>
            <Table verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{explore.space.member}</Table.Th>
                  <Table.Th>{t.completedAt}</Table.Th>
                  <Table.Th ta="right">{explore.space.points}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.map((one) => (
                  <Row key={one.address} participant={one} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <MoreButton list={list} label={shell.more} />
      </Section>
    </div>
  )
}

function Row({ participant: { address, name, completedAt, points } }: { participant: Participant }) {
  return (
    <Table.Tr>
      <Table.Td className="participant">
        {name}
        {/* The address of an account without a wallet is a random ID. */}
        <Text size="xs" c="dimmed" className={isAccountAddress(address) ? undefined : 'mono'}>
          {isAccountAddress(address) ? t.noWallet : address}
        </Text>
      </Table.Td>
      <Table.Td className="nowrap">{atTime(completedAt)}</Table.Td>
      <Table.Td ta="right">{points === null ? t.imported : number(points)}</Table.Td>
    </Table.Tr>
  )
}
