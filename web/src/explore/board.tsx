import { NativeSelect, Table, Text } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { Sprint } from '../api/explore.ts'
import { Section } from '../shell/section.tsx'
import { explore as texts } from '../texts/index.ts'
import { BoardRow } from './board-row.tsx'
import { NextPage } from './next-page.tsx'
import type { SpaceAnswer } from './requests.ts'
import { WindowedRows } from './windowed-rows.tsx'

const t = texts.space

interface BoardProps {
  spaceId: string
  sprintId: number | undefined
  sprints: Sprint[]
  pages: UseInfiniteQueryResult<InfiniteData<SpaceAnswer>>
  changeSprint: (sprintId: number | undefined) => void
}

/** The loyalty points of a space or of one of its sprints, most first. */
export function Board({ spaceId, sprintId, sprints, pages, changeSprint }: BoardProps) {
  const boards = pages.data?.pages.map(({ space }) => space.loyaltyPointsRanks) ?? []
  const ranks = boards.flatMap((board) => board?.list ?? [])
  const all = boards[0]?.totalCount ?? 0
  return (
    <Section title={t.board} lead={t.asOf}>
      {sprints.length > 0 && (
        <div className="line-form">
          <NativeSelect
            label={t.sprint}
            value={sprintId ?? ''}
            onChange={({ currentTarget: { value } }) => changeSprint(value === '' ? undefined : Number(value))}
            data={[
              { value: '', label: t.overall },
              ...sprints.map(({ sprintId, name }) => ({
                value: String(sprintId),
                label: t.sprintName(sprintId, name),
              })),
            ]}
          />
        </div>
      )}
      {ranks.length === 0 ? (
        <Text>{t.empty}</Text>
      ) : (
        <>
          <Table className="board" verticalSpacing={6} aria-rowcount={all + 1}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th ta="right" className="nowrap">
                  {t.rank}
                </Table.Th>
                <Table.Th>{t.member}</Table.Th>
                <Table.Th ta="right" className="nowrap">
                  {t.points}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            {boards.map((board, page) => (
              <WindowedRows key={page} columns={3}>
                {board?.list?.map((rank) => (
                  <BoardRow key={rank.address?.address} rank={rank} spaceId={spaceId} sprintId={sprintId} />
                ))}
              </WindowedRows>
            ))}
          </Table>
          <NextPage pages={pages} shown={t.shownOf(ranks.length, all)} />
        </>
      )}
    </Section>
  )
}
