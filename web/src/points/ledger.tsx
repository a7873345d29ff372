import { Badge, Button, Group, Text } from '@mantine/core'
import { hashKey, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link } from 'wouter'
import { sprintsQuery } from '../api/content.ts'
import { type LedgerEntry, ledgerQuery } from '../api/points.ts'
import { shortAddress } from '../shell/addresses.ts'
import { CopyValues } from '../shell/copy-values.tsx'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { signed, number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { mayClose, FormPart, useFormPart } from '../shell/unsaved.ts'
import { explore, points as t, shell } from '../texts/index.ts'
import { everything, Filter, isAtField } from './ledger-filter.tsx'
import { UndoButton } from './undo-button.tsx'

/** The entries of a space, newest first. */
export function Ledger({ spaceId }: { spaceId: number }) {
  const [filter, setFilter] = useState(everything)
  const undoing = useFormPart()
  const list = useInfiniteQuery(ledgerQuery(spaceId, filter))
  const entries = list.data?.pages.flatMap((page) => page.list) ?? []
  const sprints = useQuery(sprintsQuery(spaceId)).data?.sprints ?? []
  const sprintNames = new Map(sprints.map(({ sprintId, name }) => [sprintId, explore.space.sprintName(sprintId, name)]))
  return (
    <Section title={t.entries}>
      <Filter
        sprints={sprints}
        read={{ pending: list.isFetching, error: list.error }}
        apply={(chosen) => {
          if (!mayClose(undoing)) return
          if (hashKey([chosen]) === hashKey([filter])) void list.refetch()
          else setFilter(chosen)
        }}
      />
      {list.isPending && <Loading />}
      {list.isError && !isAtField(list.error) && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
      {list.data && entries.length === 0 && !list.hasNextPage && <NoEntries filtered={filter !== everything} />}
      <FormPart value={undoing}>
        <ul className="rows">
          {entries.map((entry) => (
            <EntryRow
              key={entry.id}
              spaceId={spaceId}
              entry={entry}
              sprint={entry.sprintId === null ? undefined : sprintNames.get(entry.sprintId)}
            />
          ))}
        </ul>
      </FormPart>
      <MoreButton list={list} label={shell.more} />
    </Section>
  )
}

const NoEntries = ({ filtered }: { filtered: boolean }) =>
  filtered ? <Text>{t.noMatch}</Text> : <Empty icon="chart" title={t.none} text={t.noneText} />

interface EntryRowProps {
  spaceId: number
  entry: LedgerEntry
  /** The name of its sprint. */
  sprint: string | undefined
}

function EntryRow({ spaceId, entry, sprint }: EntryRowProps) {
  const { id, time, address, username, author, amount, source, ruleId, ruleVersion } = entry
  // The name of a quest can be empty.
  const reason = entry.reason?.trim() ? entry.reason : null
  const ended = endOf(entry)
  const [isAddressOpen, setAddressOpen] = useState(false)
  const addressId = useId()
  return (
    <li className="row row-top">
      <div className="row-main">
        <Group gap="xs">
          <Text fw={600} className={amount < 0 ? 'bad' : undefined}>
            {signed(amount)}
          </Text>
          <EntryMember
            entry={entry}
            fullAddress={{ id: addressId, isOpen: isAddressOpen, toggle: () => setAddressOpen(!isAddressOpen) }}
          />
          <Badge variant="default" tt="none">
            {t.sources[source] ?? source}
          </Badge>
          {ended !== undefined && (
            <Badge variant="light" color="red" tt="none">
              {ended}
            </Badge>
          )}
        </Group>
        <div id={addressId} className="row-part" hidden={!isAddressOpen}>
          {isAddressOpen && (
            <CopyValues
              values={[{ name: t.addressOf(hasName(entry) ? username : shortAddress(address)), value: address }]}
            />
          )}
        </div>
        {reason !== null && (
          <Text size="sm">{author?.kind === 'quest' ? <QuestLink id={author.id}>{reason}</QuestLink> : reason}</Text>
        )}
        <Text size="sm" c="dimmed">
          {[atTime(time), ...originOf(entry), balanceOf(entry), ...detailsOf(entry, sprint)].join(' · ')}
          {' · '}
          {/* An ID has a hyphen, where a line could break. */}
          <span className="nowrap">{t.entry(id)}</span>
          {reason === null && author?.kind === 'quest' && (
            <>
              {' · '}
              <QuestLink id={author.id}>{t.questOf(author.id)}</QuestLink>
            </>
          )}
          {ruleId !== null && (
            <>
              {' · '}
              <Link href={`/content/spaces/${spaceId}/rules`} className="text-link">
                {t.rule(ruleId, ruleVersion ?? 0)}
              </Link>
            </>
          )}
        </Text>
      </div>
      {entry.reversible && (amount !== 0 || entry.pending !== null) && <UndoButton spaceId={spaceId} entry={entry} />}
    </li>
  )
}

/** The reason of an entry for a quest is the name of the quest. */
function QuestLink({ id, children }: { id: string; children: string }) {
  return (
    <Link href={`/content/quests/${encodeURIComponent(id)}`} className="text-link">
      {children}
    </Link>
  )
}

const hasName = ({ address, username }: Pick<LedgerEntry, 'address' | 'username'>): boolean =>
  username !== '' && username !== address

interface EntryMemberProps {
  entry: LedgerEntry
  /** The part of the row with the full address. */
  fullAddress: { id: string; isOpen: boolean; toggle: () => void }
}

function EntryMember({ entry: { address, username }, fullAddress: { id, isOpen, toggle } }: EntryMemberProps) {
  const short = shortAddress(address)
  const isNamed = hasName({ address, username })
  if (!isNamed && short === address) return <Text className="mono">{address}</Text>
  return (
    <Group gap="xs">
      {isNamed && <Text>{username}</Text>}
      {short === address ? (
        <Text className="mono" size="sm" c="dimmed">
          {address}
        </Text>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          className="mono"
          fw="normal"
          aria-label={t.wholeAddress(short)}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {short}
        </Button>
      )}
    </Group>
  )
}

/** The account, token or file that made an entry. */
function originOf({ source, author }: LedgerEntry): string[] {
  if (author === null) return source === 'reversal' ? [t.byCommand] : []
  const { kind, name, by } = author
  if (kind === 'quest') return []
  if (kind === 'unknown') return [source === 'import' ? t.byOldImport : t.byDeleted]
  if (name === null) return [kind === 'import' ? t.byOtherFile : t.byOtherToken]
  if (kind === 'import') return [t.byFile(name), ...(by === null ? [] : [t.by(by)])]
  return [kind === 'token' ? t.byToken(name) : t.by(name)]
}

/** The reason why the points of an entry no longer count. */
function endOf({ reversedBy, expiresAt }: LedgerEntry): string | undefined {
  if (reversedBy !== null) return t.wasUndone
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? t.sources.expiry : undefined
}

function balanceOf({ pointsBefore, pointsAfter, sprintBefore, sprintAfter }: LedgerEntry): string {
  const overall = pointsBefore !== null || pointsAfter !== null
  const [before, after] = overall ? [pointsBefore, pointsAfter] : [sprintBefore, sprintAfter]
  return t.balance(number(before ?? 0), number(after ?? 0))
}

/** Keys that the service made have no meaning for people. Those of quests contain tabs; the entry has a link to the quest. */
const MADE_KEY = /^(?:manual-|claim\t)/

function detailsOf(entry: LedgerEntry, sprint?: string): string[] {
  const { sprintId, pending, availableAt, expiresAt, reverses, key, ruleId } = entry
  return [
    ...(sprintId === null ? [] : [sprint ?? explore.space.sprintName(sprintId, '')]),
    ...(pending === null || pending === 0 ? [] : [t.pending(pending)]),
    ...(availableAt === null ? [] : [t.availableFrom(atTime(availableAt))]),
    ...(expiresAt === null ? [] : [t.expires(atTime(expiresAt))]),
    ...(reverses === null ? [] : [t.undoes(reverses)]),
    ...(key === null || ruleId !== null || MADE_KEY.test(key) ? [] : [t.key(key)]),
  ]
}
