import { Fieldset, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { QuizForm } from '../api/sources.ts'
import { QuizAnswer } from '../explore/quiz-answer.tsx'
import { claim, content as texts } from '../texts/index.ts'

const t = texts.source

/** A quiz as members see it. Answers stay on the page. */
export function QuizPreview({ quiz: { questions, passMark = questions.length, attempts } }: { quiz: QuizForm }) {
  const [answers, setAnswers] = useState(() => questions.map((): string[] => []))
  return (
    <Fieldset legend={t.preview} className="content-group content-preview">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed" role="status">
          {t.previewLead}
        </Text>
        <Text size="sm" c="dimmed">
          {claim.quiz.lead(passMark, questions.length)} {claim.quiz.left(attempts)}.
        </Text>
        {questions.map((question, i) => (
          <QuizAnswer
            key={i}
            question={question}
            given={answers[i] ?? []}
            onChange={(given) => setAnswers(answers.with(i, given))}
          />
        ))}
      </Stack>
    </Fieldset>
  )
}
