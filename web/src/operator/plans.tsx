import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Plan, plansQuery, removePlan } from '../api/operator.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { shell } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'
import { AccountTokens } from './account-tokens.tsx'
import { PlanForm } from './plan-form.tsx'

const t = texts.plans

/** `/operator/plans` */
export default function PlansPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Plans />
    </PageLayout>
  )
}

/** The plans with their limits, and the tokens of an account with theirs. */
function Plans() {
  const plans = useQuery(plansQuery)
  const [adding, setAdding] = useState(false)
  const listId = useId()
  if (plans.isPending) return <Loading />
  if (plans.isLoadingError) return <LoadFailure error={plans.error} retry={() => void plans.refetch()} />
  const all = plans.data.plans
  return (
    <>
      <Fault error={plans.error} />
      <Section title={t.all}>
        <ul id={listId} className="rows">
          {all.map((plan) => (
            <PlanRow key={plan.plan} plan={plan} />
          ))}
        </ul>
        {adding ? (
          <PlanForm close={() => setAdding(false)} />
        ) : (
          <div>
            <Button aria-controls={listId} onClick={() => setAdding(true)}>
              {t.add}
            </Button>
          </div>
        )}
      </Section>
      <AccountTokens plans={all.map(({ plan }) => plan)} />
    </>
  )
}

function PlanRow({ plan }: { plan: Plan }) {
  const [changing, setChanging] = useState(false)
  const remove = useMutation({ mutationFn: () => removePlan(plan.plan), onSuccess: () => toast(shell.deleted) })
  if (changing)
    return (
      <li className="row">
        <PlanForm saved={plan} close={() => setChanging(false)} />
      </li>
    )
  const limit = (count: number | null) => (count === null ? t.unlimited : number(count))
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          <Text fw={500}>{plan.plan}</Text>
          {plan.open && (
            <Badge variant="light" color="gray" tt="none">
              {t.choosable}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {`${t.perSecond}: ${limit(plan.perSecond)} · ${t.perDay}: ${limit(plan.perDay)} · ${t.tokens}: ${number(plan.tokens)}`}
        </Text>
        <Fault error={remove.error} />
      </div>
      {plan.fromSettings ? (
        <Text size="sm" c="dimmed">
          {t.fromSettings}
        </Text>
      ) : (
        <Group gap="xs">
          <Button variant="default" size="xs" aria-label={t.changeNamed(plan.plan)} onClick={() => setChanging(true)}>
            {t.change}
          </Button>
          <ConfirmButton
            label={t.remove}
            name={t.removeNamed(plan.plan)}
            question={t.removeQuestion(plan.plan)}
            pending={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        </Group>
      )}
    </li>
  )
}
