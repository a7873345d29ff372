import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { confirmMerge, type MergeOffer, mergeQuery } from '../api/merges.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { StepTitle } from '../sign-in/step-title.tsx'
import { account as texts, shell } from '../texts/index.ts'

const t = texts.merge

interface MergeConfirmationProps {
  id: string
  /** Called with the name of the closed account. */
  onDone: (from: string) => void
  onCancel: () => void
}

/** Lists what a merge moves and ends, before the user confirms it. */
export function MergeConfirmation({ id, onDone, onCancel }: MergeConfirmationProps) {
  const offer = useQuery(mergeQuery(id))
  const confirm = useMutation({
    mutationFn: async (from: string) => {
      await confirmMerge(id)
      return from
    },
    onSuccess: onDone,
  })
  if (offer.isPending) return <Loading />
  const cancel = (
    <Button variant="default" onClick={onCancel}>
      {shell.cancel}
    </Button>
  )
  if (offer.isError)
    return (
      <Stack gap="sm">
        <Fault error={offer.error} />
        <div>{cancel}</div>
      </Stack>
    )
  const { into, from } = offer.data
  return (
    <Stack gap="sm" className="inset">
      <StepTitle>{t.heading(from.username, into.username)}</StepTitle>
      <Text>{t.moves}</Text>
      <ul className="plain-list">
        {movesOf(from).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Notice kind="warning" title={t.forGood}>
        {t.ends(from.username)} {from.endedGrants > 0 && t.endedGrants(from.endedGrants)}
      </Notice>
      <Fault error={confirm.error} />
      <Group>
        <Button color="red" loading={confirm.isPending} onClick={() => confirm.mutate(from.username)}>
          {t.confirm}
        </Button>
        {cancel}
      </Group>
    </Stack>
  )
}

function movesOf(from: MergeOffer['from']): string[] {
  const kinds = Object.keys(t.counts) as (keyof typeof t.counts)[]
  return [
    ...kinds.filter((kind) => from[kind] > 0).map((kind) => t.counts[kind](from[kind])),
    ...(from.operator ? [t.operator] : []),
  ]
}
