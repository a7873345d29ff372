import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { answerQuiz, type Quiz, quizQuery } from '../api/quests.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { claim as texts } from '../texts/index.ts'
import { type ConditionStep, textOf } from './check-now.tsx'
import { QuizAnswer } from './quiz-answer.tsx'

const t = texts.quiz

/** Opens the quiz of a condition in place. */
export function AnswerQuiz(step: ConditionStep) {
  const [opened, setOpened] = useState(false)
  if (opened) return <OpenQuiz {...step} />
  return (
    <>
      {' '}
      <Button
        size="compact-sm"
        variant="light"
        aria-label={t.startOf(step.condition.expression)}
        onClick={() => setOpened(true)}
      >
        {t.start}
      </Button>
    </>
  )
}

function OpenQuiz(step: ConditionStep) {
  const { data: quiz, error } = useQuery({ ...quizQuery(step.questId, step.condition.credentialId), staleTime: 0 })
  if (!quiz) return error ? <Fault error={error} /> : <Loading rows={3} />
  return <QuizForm key={quiz.version} quiz={quiz} {...step} />
}

function QuizForm({ quiz, questId, condition: { credentialId, expression }, address }: ConditionStep & { quiz: Quiz }) {
  const { questions, passMark, version, attempts, passed } = quiz
  const [answers, setAnswers] = useState(() => questions.map((): string[] => []))
  const send = useMutation({
    mutationFn: () => answerQuiz(questId, credentialId, { version, answers, address }),
    // The quiz disappears then.
    onSuccess: ({ passed: isPassed }) => {
      if (isPassed) toast(t.justPassed(expression))
    },
  })
  const given = answers.map((texts) => texts.filter((text) => text.trim() !== ''))
  useUnsavedInput(given, { pending: send.isPending, error: send.error })
  const complete = passed || given.every((texts) => texts.length > 0)
  const right = send.data?.right ?? undefined
  const change = (place: number, answer: string[]) => {
    setAnswers(answers.with(place, answer))
    // The result is that of other answers.
    if (!send.isPending) send.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate()
  }
  return (
    <form onSubmit={submit} className="quiz">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {passed ? t.passed : t.lead(passMark, questions.length)}
        </Text>
        {!passed &&
          questions.map((question, i) => (
            <QuizAnswer key={i} question={question} given={answers[i] ?? []} onChange={(given) => change(i, given)} />
          ))}
        <div role="status">
          {send.data && !send.data.passed && right !== undefined && (
            <Text size="sm" fw={600} className="bad">
              {t.wrong(right, questions.length)}
            </Text>
          )}
          {send.error && (
            <Text size="sm" c="red">
              {textOf(send.error)}
            </Text>
          )}
          {!passed && (
            <Text size="sm" c="dimmed">
              {attempts.nextAttemptAt === null
                ? t.left(attempts.left)
                : `${t.none} ${t.next(atTime(attempts.nextAttemptAt))}`}
            </Text>
          )}
        </div>
        {(passed || attempts.left > 0) && (
          <Button type="submit" size="xs" loading={send.isPending} disabled={!complete}>
            {passed ? t.useAddress : t.send}
          </Button>
        )}
      </Stack>
    </form>
  )
}
