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
    mutationFn: (answers: string[][]) => answerQuiz(questId, credentialId, { version, answers, address }),
    // The quiz disappears then.
    onSuccess: ({ passed: isPassed }) => {
      if (isPassed) toast(t.justPassed(expression))
    },
  })
  const given = answers.map((texts) => texts.filter((text) => text.trim() !== ''))
  useUnsavedInput(given, { pending: send.isPending, error: send.error })
  const complete = passed || given.every((texts) => texts.length > 0)
  // The user can change the answers before their result arrives, and after it.
  const result = send.variables === answers ? send.data : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate(answers)
  }
  return (
    <form onSubmit={submit} className="quiz">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {passed ? t.passed : t.lead(passMark, questions.length)}
        </Text>
        {!passed &&
          questions.map((question, i) => (
            <QuizAnswer
              key={i}
              question={question}
              given={answers[i] ?? []}
              onChange={(given) => setAnswers(answers.with(i, given))}
            />
          ))}
        <div role="status">
          {result && !result.passed && result.right !== null && (
            <Text size="sm" fw={600} className="bad">
              {t.wrong(result.right, questions.length)}
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
