import { type Fault, fault } from '../../texts/faults.ts'
import { z } from 'zod'
import { DAY, SECOND } from '../../clock.ts'
import type { Random } from '../../random.ts'
import { characters } from '../../text/characters.ts'
import { sourceKind } from '../source-kind.ts'
import { hashAnswers } from './quiz-answers.ts'

export const MAX_QUESTIONS = 20
const MAX_ANSWER = 200
export const MAX_OPTIONS = 10
const MAX_ACCEPTED = 20

/** An option or an answer. Editors and members have the same limits, so that a member can choose every option. */
export const answerText = (min: 0 | 1) => characters(min, MAX_ANSWER, z.string().trim())

const hashed = z.strictObject({
  key: z.base64().length(44),
  hashes: z.array(z.base64().length(44)).min(1).max(MAX_ACCEPTED),
})
const ANSWERS_RULE = `must be a list of 1 to ${MAX_ACCEPTED} texts of 1 to ${MAX_ANSWER} characters`
const given = z.array(answerText(1)).min(1, ANSWERS_RULE).max(MAX_ACCEPTED, ANSWERS_RULE)

const question = z
  .strictObject({
    question: characters(1, 500),
    type: z.enum(['single', 'several', 'text']),
    options: z.array(answerText(1)).min(2).max(MAX_OPTIONS).optional(),
    answers: z.union([given, hashed], ANSWERS_RULE),
  })
  .superRefine(({ type, options, answers }, context) => {
    const refuse = (name: string, message: string, params: Fault) =>
      context.addIssue({ code: 'custom', path: [name], message, params })
    if (type === 'text') {
      if (options) refuse('options', 'must be absent, because the member writes the answer', fault('not_allowed'))
      return
    }
    if (!options)
      return refuse('options', `is missing; it must be a list of 2 to ${MAX_OPTIONS} texts`, fault('missing'))
    if (new Set(options).size < options.length)
      refuse('options', 'must be different from each other', fault('not_unique'))
    if (!Array.isArray(answers)) return
    if (answers.some((answer) => !options.includes(answer)))
      refuse('answers', 'must be texts of the options', fault('not_one_of', { allowed: options }))
    if (new Set(answers).size < answers.length)
      refuse('answers', 'must be different from each other', fault('not_unique'))
    if (type === 'single' && answers.length !== 1)
      refuse('answers', 'must be one option; several need the type several', fault('one_answer'))
  })

const schema = z
  .strictObject({
    kind: z.literal('QUIZ'),
    questions: z.array(question).min(1).max(MAX_QUESTIONS),
    /** Right answers that pass; all by default. */
    passMark: z.int().min(1).max(MAX_QUESTIONS).optional(),
    /** Attempts of one account in a period. */
    attempts: z.int().min(1).max(100).default(3),
    periodSeconds: z
      .int()
      .min(60)
      .max((365 * DAY) / SECOND)
      .default(DAY / SECOND),
  })
  .refine(({ questions, passMark }) => passMark === undefined || passMark <= questions.length, {
    path: ['passMark'],
    message: 'must be at most the number of questions',
    params: fault('above_questions'),
  })

export type Quiz = z.output<typeof schema>
export type QuizQuestion = Quiz['questions'][number]

/** Questions that members answer on the page of a quest. Members who pass become holders. */
export const quiz = sourceKind({ schema, act: 'quiz', host: () => '', conceal })

/** Hashes the answers. Equal answers keep their hashes, so that the same quiz is not a change. */
function conceal(source: Quiz, random: Random, stored: unknown): Quiz {
  const before = isQuiz(stored) ? stored.questions : []
  return { ...source, questions: source.questions.map((one) => hashAnswers(one, random, before)) }
}

const isQuiz = (source: unknown): source is Quiz =>
  typeof source === 'object' && source !== null && 'kind' in source && source.kind === 'QUIZ'

export const passMarkOf = ({ passMark, questions }: Pick<Quiz, 'passMark' | 'questions'>): number =>
  passMark ?? questions.length
