import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { accountTokensQuery, type FoundAccount, putOnPlan } from '../api/operator.ts'
import type { ServerToken } from '../api/tokens.ts'
import { Picker } from '../pickers/picker.tsx'
import { accounts } from '../pickers/source.ts'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi, signIn } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.plans

/** The valid tokens of an account, each on a plan that can be changed. */
export function AccountTokens({ plans }: { plans: string[] }) {
  const [account, setAccount] = useState<string[]>([])
  const found = useQuery(accountTokensQuery(account[0] ?? ''))
  const live = found.data?.tokens.filter(({ revokedAt }) => revokedAt === null) ?? []
  return (
    <Section title={t.who} lead={t.whoLead}>
      <Picker
        single
        className="picker-alone"
        source={accounts}
        label={t.account}
        value={account}
        onChange={setAccount}
      />
      {found.isLoading && <Loading rows={2} />}
      <Fault error={found.error} />
      {found.data && <Text>{described(found.data.account)}</Text>}
      {found.data && live.length === 0 && <Empty icon="key" title={t.noTokens} />}
      <ul className="rows">
        {live.map((token) => (
          <TokenOnPlan key={token.tokenId} token={token} plans={plans} />
        ))}
      </ul>
    </Section>
  )
}

/** Shows the identities, because any user can take a free username. */
const described = ({ username, id, createdAt, identities }: FoundAccount): string =>
  t.foundAccount(
    username,
    id,
    atTime(createdAt),
    identities
      .map(({ kind, subject, username: name }) => `${signIn.kinds[kind] ?? kind} ${name ?? subject}`)
      .join(', ') || t.noIdentities,
  )

/** A selection alone changes nothing, because arrow keys pass through other options. */
function TokenOnPlan({ token: { tokenId, name, plan, lastUsedAt }, plans }: { token: ServerToken; plans: string[] }) {
  const [chosen, setChosen] = useState<string>()
  const put = useMutation({
    mutationFn: (to: string) => putOnPlan(tokenId, to),
    onSuccess(_, to) {
      setChosen(undefined)
      toast(t.moved(name, to))
    },
  })
  const to = chosen ?? plan
  const submit = (event: FormEvent) => {
    event.preventDefault()
    put.mutate(to)
  }
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed">
          {lastUsedAt === null ? serverApi.tokens.unused : serverApi.tokens.used(atTime(lastUsedAt))}
        </Text>
        <Fault error={put.error} />
      </div>
      <form onSubmit={submit}>
        <Group gap="xs">
          <NativeSelect
            aria-label={t.planOf(name)}
            value={to}
            onChange={(event) => setChosen(event.currentTarget.value)}
            data={plans}
          />
          <Button
            type="submit"
            variant="default"
            aria-label={t.moveNamed(name)}
            loading={put.isPending}
            disabled={to === plan}
          >
            {t.move}
          </Button>
        </Group>
      </form>
    </li>
  )
}
