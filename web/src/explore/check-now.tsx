import { Button, Text } from '@mantine/core'
import { ApiFailure } from '../api/call.ts'
import { type QuestCondition, verifyCondition } from '../api/quests.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { claim as texts } from '../texts/index.ts'

export interface ConditionStep {
  questId: string
  condition: QuestCondition
  /** An address of the kind of the condition; if undefined, the service chooses one. */
  address: string | undefined
}

/** Checks a condition at its source, for the address that a claim would use. */
export function CheckNow({ questId, condition, address }: ConditionStep) {
  const check = useMutation({ mutationFn: () => verifyCondition(questId, condition.credentialId, address) })
  return (
    <>
      {' '}
      <Button
        size="compact-sm"
        variant="light"
        aria-label={texts.checkOf(condition.expression)}
        loading={check.isPending}
        onClick={() => check.mutate()}
      >
        {texts.check}
      </Button>
      <Text component="span" size="sm" role="status" c={check.error ? 'red' : 'dimmed'}>
        {check.data && ` ${check.data.held === null ? texts.undecided : check.data.held ? '' : texts.checkedNow}`}
        {check.error && ` ${textOf(check.error)}`}
      </Text>
    </>
  )
}

/** The reason why a step was refused. */
export function textOf(error: Error): string {
  if (!(error instanceof ApiFailure)) return error.message
  const text = texts.checkFailures[error.code] ?? error.message
  return error.retryAfter === undefined ? text : `${text} ${texts.retryIn(error.retryAfter)}`
}
