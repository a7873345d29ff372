import { NativeSelect, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { bansQuery, type BanState } from '../api/bans.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { usePageParameter, useTypedParameter } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { bans as t } from '../texts/operator-pages.ts'
import { BanForm } from './ban-form.tsx'
import { BanRow } from './ban-row.tsx'

const states = (['active', 'ended'] as const).map((value) => ({ value, label: t.states[value] }))

/** `/operator/bans` */
export default function BansPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <BanForm />
      <Bans />
    </PageLayout>
  )
}

function Bans() {
  const [given, setState] = usePageParameter('state')
  const state: BanState = given === 'ended' ? given : 'active'
  const [address, setAddress] = useTypedParameter('q')
  const bans = useInfiniteQuery(bansQuery(state, useDeferredValue(address.trim())))
  const found = bans.data?.pages.flatMap(({ items }) => items)
  return (
    <Section title={t.list}>
      <div className="line-form">
        <NativeSelect
          label={t.show}
          value={state}
          data={states}
          onChange={(event) => setState(event.currentTarget.value === 'active' ? '' : event.currentTarget.value)}
        />
        <TextInput
          type="search"
          className="wide-field"
          label={t.find}
          value={address}
          maxLength={90}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
      </div>
      {bans.isPending && <Loading />}
      {bans.isError && <LoadFailure error={bans.error} retry={() => void bans.refetch()} />}
      {found?.length === 0 && <Empty icon="ban" title={t.none} text={t.noneText} />}
      <ul className="rows">
        {found?.map((ban) => (
          <BanRow key={ban.id} ban={ban} />
        ))}
      </ul>
      <MoreButton list={bans} label={t.more} />
    </Section>
  )
}
