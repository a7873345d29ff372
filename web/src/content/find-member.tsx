import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type NamedMember, namedMembersQuery } from '../api/points.ts'
import { useSearchForm } from '../explore/use-search-form.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { useParameters } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { content, my, points } from '../texts/index.ts'

const t = content.findMember

/** Finds members of a space at any rank, for those who manage it. */
export function FindMember({ spaceId }: { spaceId: number }) {
  const { search, form, nothingFound } = useSearchForm(t.title, t.field)
  const found = useQuery({ ...namedMembersQuery(spaceId, search), enabled: search !== '' })
  return (
    <Section title={t.title}>
      {form}
      {search !== '' && found.isPending && <Loading rows={2} />}
      {found.isLoadingError && <LoadFailure error={found.error} retry={() => void found.refetch()} />}
      {search !== '' && found.data?.list.length === 0 && nothingFound}
      {search !== '' && (found.data?.list.length ?? 0) > 0 && (
        <ul className="rows">
          {found.data?.list.map((member) => (
            <MemberRow key={member.address} member={member} />
          ))}
        </ul>
      )}
      {search !== '' && found.data?.complete === false && <Text size="sm">{points.incomplete}</Text>}
    </Section>
  )
}

/** Leads to the rank of the member on the shown board. */
function MemberRow({ member: { address, username, points: balance } }: { member: NamedMember }) {
  const chosen = new URLSearchParams(useParameters())
  chosen.delete('q')
  chosen.set('member', address)
  return (
    <li className="row">
      <div className="row-main">
        <Link href={`?${chosen}`} className="text-link">
          {username === '' ? address : username}
        </Link>
        <Text size="sm" c="dimmed" className="mono">
          {username === '' ? '' : address}
        </Text>
      </div>
      <Text size="sm">{my.ranks.points(balance)}</Text>
    </li>
  )
}
