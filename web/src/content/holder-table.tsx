import { Table, TextInput } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { holdersQuery } from '../api/holders.ts'
import { isAccountAddress } from '../shell/account-address.ts'
import { EmptyLine } from '../shell/empty.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { useTypedParameter } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { content, holders as t } from '../texts/index.ts'

/** The present holders of a credential, with a search. */
export function HolderTable({ credentialId }: { credentialId: string }) {
  const [search, setSearch] = useTypedParameter('q')
  const sought = useDeferredValue(search.trim())
  const list = useInfiniteQuery({ ...holdersQuery(credentialId, sought), placeholderData: keepPreviousData })
  const found = list.data?.pages.flatMap(({ items }) => items)
  return (
    <Section title={t.title} lead={t.lead}>
      <TextInput
        className="content-lines"
        type="search"
        label={t.search}
        description={t.searchHelp}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
      />
      {list.isPending && <Loading rows={3} />}
      {list.isLoadingError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
      {found?.length === 0 && <EmptyLine title={t.notFound} />}
      {found !== undefined && found.length > 0 && (
        <div className="wide-table" tabIndex={0} role="group" aria-label={t.title}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.address}</Table.Th>
                <Table.Th className="nowrap">{t.name}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.map(({ address, username }) => (
                <Table.Tr key={address}>
                  {isAccountAddress(address) ? (
                    <Table.Td c="dimmed">{content.participants.noWallet}</Table.Td>
                  ) : (
                    <Table.Td className="mono">{address}</Table.Td>
                  )}
                  <Table.Td>{username}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <MoreButton list={list} label={t.more} />
    </Section>
  )
}
