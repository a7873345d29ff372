import { Button, Group, Text } from '@mantine/core'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Listed } from '../api/content.ts'
import { EmptyLine } from '../shell/empty.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { content as texts } from '../texts/index.ts'
import { useFirst } from './use-first.tsx'

interface Page<Item> {
  items: Item[]
  next: string | null
}

interface ObjectListProps<Item extends Listed, Key extends QueryKey> {
  title: string
  lead?: string
  none: string
  /** The purpose of the objects, shown in an empty list. */
  noneText: string
  /** Another section leads to the form of the first object. */
  hideEmpty: boolean
  query: UseQueryOptions<Page<Item>, Error, Page<Item>, Key>
  /** The objects that matter most are first; the others need a click. */
  order: (a: Item, b: Item) => number
  /** "All 12 quests" */
  all: (count: number) => string
  hrefOf: (id: string) => string
  /** Further facts about an object, before its ID. */
  factsOf?: (item: Item) => string[]
  /** The link to the form of a new object, if the account may create one. */
  add: { href: string; label: string } | undefined
}

/** Objects of a space, which its page has already loaded. Each entry links to the page of the object. */
export function ObjectList<Item extends Listed, Key extends QueryKey>(props: ObjectListProps<Item, Key>) {
  const { title, lead, none, noneText, hideEmpty, query, order, all, hrefOf, factsOf = () => [], add } = props
  const list = useQuery({ ...query, refetchOnMount: false })
  const items = list.data?.items.toSorted(order) ?? []
  const isWhole = (list.data?.next ?? null) === null
  const first = useFirst(
    items.map((item) => (
      <li key={item.id} className="row">
        <div className="row-main">
          <Link href={hrefOf(item.id)} className="text-link">
            {item.name}
          </Link>
          <Text size="sm" c="dimmed">
            {[...factsOf(item), texts.id(item.id)].join(' · ')}
          </Text>
        </div>
      </li>
    )),
    isWhole ? all : texts.firstOnes,
  )
  const isEmpty = list.data?.items.length === 0
  if (isEmpty && hideEmpty) return null
  const button = add && (
    <Button component={Link} href={add.href} variant="default">
      {add.label}
    </Button>
  )
  return (
    <Section title={title} {...(lead !== undefined && !isEmpty && { lead })}>
      {list.isError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
      {isEmpty && (
        <EmptyLine title={none} text={noneText}>
          <div>{button}</div>
        </EmptyLine>
      )}
      <ul id={first.listId} className="rows">
        {first.rows}
      </ul>
      {!isWhole && (
        <Text size="sm" c="dimmed">
          {texts.othersInSearch}
        </Text>
      )}
      {!isEmpty && (
        <Group gap="sm">
          {first.button}
          {button}
        </Group>
      )}
    </Section>
  )
}
