import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { accountTokensQuery, putOnPlan } from '../api/operator.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { texts } from '../texts/operator.ts'
import { texts as serverApi } from '../texts/server-api.ts'

const t = texts.plans

/** The live tokens of an account, each on a plan that can be changed. */
export function AccountTokens({ plans }: { plans: string[] }) {
  const [text, setText] = useState('')
  const [account, setAccount] = useState('')
  const found = useQuery(accountTokensQuery(account))
  const put = useMutation({ mutationFn: ([tokenId, plan]: [string, string]) => putOnPlan(tokenId, plan) })
  const live = found.data?.tokens.filter(({ revokedAt }) => revokedAt === null) ?? []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAccount(text.trim())
  }
  return (
    <Section title={t.who} lead={t.whoLead}>
      <form onSubmit={submit} className="line-form">
        <TextInput
          label={t.account}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" variant="default" loading={found.isFetching}>
          {t.find}
        </Button>
      </form>
      <Fault error={found.error ?? put.error} />
      {found.data && live.length === 0 && <Text>{t.noTokens}</Text>}
      <ul className="rows">
        {live.map(({ tokenId, name, plan, lastUsedAt }) => (
          <li key={tokenId} className="row">
            <div className="row-main">
              <Text fw={500}>{name}</Text>
              <Text size="sm" c="dimmed">
                {lastUsedAt === null ? serverApi.tokens.unused : serverApi.tokens.used(atTime(lastUsedAt))}
              </Text>
            </div>
            <NativeSelect
              aria-label={t.planOf(name)}
              value={plan}
              onChange={(event) => put.mutate([tokenId, event.currentTarget.value])}
              data={plans}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}
