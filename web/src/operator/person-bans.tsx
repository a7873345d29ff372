import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { bansOfQuery } from '../api/bans.ts'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { bans as t } from '../texts/operator-pages.ts'
import { BanRow } from './ban-row.tsx'

/** The bans of an account, also ended ones. */
export function PersonBans({ accountId }: { accountId: string }) {
  const bans = useQuery(bansOfQuery(accountId))
  return (
    <Section title={t.ofPerson}>
      {bans.isPending && <Loading />}
      {bans.isError && <LoadFailure error={bans.error} retry={() => void bans.refetch()} />}
      {bans.data?.length === 0 && <Text c="dimmed">{t.noneOfPerson}</Text>}
      <ul className="rows">
        {bans.data?.map((ban) => (
          <BanRow key={ban.id} ban={ban} />
        ))}
      </ul>
      <div>
        <Link href="/operator/bans" className="text-link">
          {t.manage}
        </Link>
      </div>
    </Section>
  )
}
