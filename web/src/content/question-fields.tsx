import { Button, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { QuestionForm, QuestionType } from '../api/sources.ts'
import { content as texts } from '../texts/index.ts'
import { entriesOf } from '../shell/lines.ts'
import type { FaultAt } from '../shell/fault-at.ts'
import { RightOptions } from './right-options.tsx'

const t = texts.source
const TYPES = ['single', 'several', 'text'] as const

interface QuestionFieldsProps {
  number: number
  question: QuestionForm
  faultAt: FaultAt
  onChange: (question: QuestionForm) => void
  onRemove: () => void
}

/** One question of a quiz. Stored answers stay until its type or options change, or new ones are given. */
export function QuestionFields({ number, question, faultAt, onChange, onRemove }: QuestionFieldsProps) {
  const { type, options = [], answers } = question
  return (
    <Fieldset legend={t.question(number)} className="content-group">
      <Stack gap="sm">
        <div className="content-line question-line">
          <TextInput
            label={t.text}
            value={question.question}
            error={faultAt('question')}
            onChange={(event) => onChange({ ...question, question: event.currentTarget.value })}
            autoComplete="off"
          />
          <NativeSelect
            label={t.type}
            value={type}
            error={faultAt('type')}
            onChange={(event) => onChange(ofType(question, event.currentTarget.value as QuestionType))}
            data={TYPES.map((value) => ({ value, label: t.types[value] }))}
          />
        </div>
        {type !== 'text' && (
          <Lines
            label={t.options}
            description={t.optionsHelp}
            lines={options}
            error={faultAt('options')}
            onChange={(lines) => onChange({ ...question, options: lines, answers: [] })}
          />
        )}
        {!Array.isArray(answers) ? (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {t.unchanged}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => onChange({ ...question, answers: [] })}>
              {t.giveAnswers}
            </Button>
          </Group>
        ) : type === 'text' ? (
          <Lines
            label={t.accepted}
            description={t.acceptedHelp}
            lines={answers}
            error={faultAt('answers')}
            onChange={(lines) => onChange({ ...question, answers: lines })}
          />
        ) : (
          <RightOptions
            type={type}
            options={options}
            right={answers}
            error={faultAt('answers')}
            onChange={(right) => onChange({ ...question, answers: right })}
          />
        )}
        <div>
          <Button size="compact-xs" variant="default" onClick={onRemove}>
            {t.remove(number)}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  )
}

/** The question with another type and without its answers. */
function ofType({ question, options = [] }: QuestionForm, type: QuestionType): QuestionForm {
  return { question, type, ...(type !== 'text' && { options }), answers: [] }
}

interface LinesProps {
  label: string
  description: string
  lines: string[]
  error: string | undefined
  onChange: (lines: string[]) => void
}

/** Texts, one on each line. Empty lines stay while they are edited, and are not sent. */
function Lines({ lines, onChange, ...field }: LinesProps) {
  const [text, setText] = useState(lines.join('\n'))
  return (
    <Textarea
      {...field}
      className="content-lines"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        onChange(entriesOf(event.currentTarget.value))
      }}
      autosize
      minRows={2}
      maxRows={12}
    />
  )
}
