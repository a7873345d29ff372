import { Button, Group, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { type FormEvent, useId, useState } from 'react'
import type { QuestionForm, QuizForm as Quiz } from '../api/sources.ts'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content as texts } from '../texts/index.ts'
import type { FaultAt } from '../shell/fault-at.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { QuestionFields } from './question-fields.tsx'
import { quizFaults } from './quiz-faults.ts'
import { QuizPreview } from './quiz-preview.tsx'
import type { SourceFormState } from './visit-form.tsx'

const t = texts.source
const MAX_QUESTIONS = 20
const MAX_ATTEMPTS = 100
const DAY = 86_400

const newQuestion = (): QuestionForm => ({ question: '', type: 'single', options: [], answers: [] })
const empty: Quiz = { kind: 'QUIZ', questions: [newQuestion()], attempts: 3, periodSeconds: DAY }

interface QuizFormProps extends SourceFormState<Quiz> {
  testing: boolean
  /** Checks the settings without storing them. */
  test: (quiz: Quiz, onSuccess: () => void) => void
}

/** The questions of a quiz, and its attempts. Stored answers are never shown. */
export function QuizForm({ saved = empty, action, pending, error, save, remove, testing, test }: QuizFormProps) {
  const [quiz, setQuiz] = useState(saved)
  const [tested, setTested] = useState<Quiz>()
  useUnsavedInput(quiz, { pending, error })
  // Keys follow the questions when one is removed.
  const [keys, setKeys] = useState(() => saved.questions.map((_, i) => i))
  const { questions, passMark, attempts, periodSeconds } = quiz
  const [checked, setChecked] = useState(false)
  const listId = useId()
  const rejected = useFaults({ pending, error }, { source: quiz })
  const faults = checked ? quizFaults(quiz) : {}
  const faultAt: FaultAt = (path) => faults[path] ?? rejected(path)
  /** Marks fields without input, and continues if all have input. */
  const check = (go: () => void) => {
    setChecked(true)
    if (Object.keys(quizFaults(quiz)).length === 0) go()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check(() => save(quiz))
  }
  const periods = [...new Set([...Object.keys(t.periods).map(Number), periodSeconds])]
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <div id={listId} className="content-entries">
          {questions.map((question, i) => (
            <QuestionFields
              key={keys[i]}
              number={i + 1}
              question={question}
              faultAt={(path) => faultsUnder(faultAt, `source.questions.${i}.${path}`)}
              onChange={(changed) => setQuiz({ ...quiz, questions: questions.with(i, changed) })}
              onRemove={() => {
                setQuiz({ ...quiz, questions: questions.toSpliced(i, 1) })
                setKeys(keys.toSpliced(i, 1))
              }}
            />
          ))}
        </div>
        <div>
          <Button
            variant="default"
            size="xs"
            disabled={questions.length >= MAX_QUESTIONS}
            aria-controls={listId}
            onClick={() => {
              setQuiz({ ...quiz, questions: [...questions, newQuestion()] })
              setKeys([...keys, Math.max(-1, ...keys) + 1])
              // A new question shows no faults before the next attempt to save.
              setChecked(false)
            }}
          >
            {t.add}
          </Button>
        </div>
        <div className="content-fields quiz-limits">
          <NumberInput
            label={t.passMark}
            value={passMark ?? questions.length}
            error={faultAt('source.passMark')}
            onChange={(value) => setQuiz({ ...quiz, passMark: Number(value) })}
            min={1}
            max={Math.max(1, questions.length)}
            allowDecimal={false}
          />
          <NumberInput
            label={t.attempts}
            value={attempts}
            error={faultAt('source.attempts')}
            onChange={(value) => setQuiz({ ...quiz, attempts: Number(value) })}
            min={1}
            max={MAX_ATTEMPTS}
            allowDecimal={false}
          />
          <NativeSelect
            label={t.period}
            value={String(periodSeconds)}
            error={faultAt('source.periodSeconds')}
            onChange={(event) => setQuiz({ ...quiz, periodSeconds: Number(event.currentTarget.value) })}
            data={periods.map((value) => ({ value: String(value), label: t.periods[value] ?? t.seconds(value) }))}
          />
        </div>
        <FormFault error={error} shown={shownBy(quiz)} />
        <Group>
          <Button type="submit" loading={pending} disabled={questions.length === 0}>
            {action}
          </Button>
          <Button
            variant="default"
            loading={testing}
            disabled={pending || questions.length === 0}
            onClick={() => check(() => test(quiz, () => setTested(quiz)))}
          >
            {t.testQuiz}
          </Button>
          {remove}
        </Group>
        {tested === quiz && <QuizPreview quiz={quiz} />}
      </Stack>
    </form>
  )
}

const MAX_LINES = 20

/** The fault of a field, or of one of its lines. */
function faultsUnder(faultAt: (path: string) => string | undefined, path: string): string | undefined {
  const paths = [path, ...Array.from({ length: MAX_LINES }, (_, line) => `${path}.${line}`)]
  return paths.map(faultAt).find((fault) => fault !== undefined)
}

/** The fields that show their own faults. */
const shownBy = ({ questions }: Quiz): string[] => [
  'source.passMark',
  'source.attempts',
  'source.periodSeconds',
  ...questions.flatMap((_, i) =>
    ['question', 'type', 'options', 'answers'].flatMap((name) => {
      const path = `source.questions.${i}.${name}`
      return [path, ...Array.from({ length: MAX_LINES }, (_, line) => `${path}.${line}`)]
    }),
  ),
]
