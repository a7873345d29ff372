import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import type { QuizQuestion } from '../api/quests.ts'
import { claim as texts } from '../texts/index.ts'

/** In UTF-16 units. The service allows 200 characters, and each has at most two units. */
const MAX_ANSWER = 400

interface QuizAnswerProps {
  question: QuizQuestion
  given: string[]
  onChange: (given: string[]) => void
}

export function QuizAnswer({ question: { question, type, options = [] }, given, onChange }: QuizAnswerProps) {
  if (type === 'text')
    return (
      <TextInput
        label={question}
        placeholder={texts.quiz.answer}
        value={given[0] ?? ''}
        onChange={(event) => onChange([event.currentTarget.value])}
        maxLength={MAX_ANSWER}
        autoComplete="off"
      />
    )
  if (type === 'single')
    return (
      <Radio.Group label={question} value={given[0] ?? ''} onChange={(option) => onChange([option])}>
        <Stack gap={6} mt={6}>
          {options.map((option) => (
            <Radio key={option} size="sm" value={option} label={option} />
          ))}
        </Stack>
      </Radio.Group>
    )
  return (
    <Checkbox.Group label={question} description={texts.quiz.several} value={given} onChange={onChange}>
      <Stack gap={6} mt={6}>
        {options.map((option) => (
          <Checkbox key={option} size="sm" value={option} label={option} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
