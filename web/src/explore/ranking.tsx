import { Button, Table, TextInput } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { explore as texts } from '../texts/index.ts'
import { NextPage } from './next-page.tsx'
import type { StarboardAnswer } from './requests.ts'
import { RankingRow } from './ranking-row.tsx'
import { WindowedRows } from './windowed-rows.tsx'

const t = texts.starboard

interface RankingProps {
  starboard: string
  pages: UseInfiniteQueryResult<InfiniteData<StarboardAnswer>>
  /** Only this user. */
  handle: string | undefined
  find: (handle: string | undefined) => void
}

/** The users of a starboard, best first, with their changes; or only the user that was searched for. */
export function Ranking({ starboard, pages, handle, find }: RankingProps) {
  const boards = pages.data?.pages.map(({ starboard }) => starboard.leaderboard) ?? []
  const edges = boards.flatMap((board) => board?.edges ?? [])
  const all = boards[0]?.totalCount ?? 0
  return (
    <Section title={t.ranking} lead={texts.space.asOf}>
      <FindHandle handle={handle} find={find} />
      {pages.isPending && <Loading />}
      <Fault error={pages.isLoadingError ? pages.error : null} />
      {pages.data && edges.length === 0 && <Empty icon="star" title={t.empty} text={t.emptyText} />}
      {edges.length > 0 && (
        <>
          <div className="wide-table" tabIndex={0} role="group" aria-label={t.ranking}>
            <Table className="ranking" verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th ta="right" className="nowrap">
                    {texts.space.rank}
                  </Table.Th>
                  <Table.Th>{t.user}</Table.Th>
                  <Table.Th ta="right" className="nowrap">
                    {t.score}
                  </Table.Th>
                  {Object.entries(t.changes).map(([change, label]) => (
                    <Table.Th key={change} ta="right" className="nowrap">
                      {label}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              {boards.map((board, page) => (
                <WindowedRows key={page} columns={6}>
                  {board?.edges.map(({ node }) => (
                    <RankingRow key={node.xUserProfile.username} starboard={starboard} node={node} />
                  ))}
                </WindowedRows>
              ))}
            </Table>
          </div>
          {handle === undefined && <NextPage pages={pages} shown={texts.of(edges.length, all)} />}
        </>
      )}
    </Section>
  )
}

function FindHandle({ handle, find }: Omit<RankingProps, 'pages' | 'starboard'>) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    find(text.trim() === '' ? undefined : text.trim())
  }
  return (
    <form onSubmit={submit} className="line-form">
      <TextInput
        label={t.find}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={60}
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" variant="default">
        {texts.find}
      </Button>
      {handle !== undefined && (
        <Button
          variant="subtle"
          onClick={() => {
            setText('')
            find(undefined)
          }}
        >
          {t.findAll}
        </Button>
      )}
    </form>
  )
}
