import { createHash } from 'node:crypto'
import { type Clock, SECOND } from '../clock.ts'
import { type AllowedAddresses, ensureOwnAddress } from '../claims/own-addresses.ts'
import { conflict, type FieldProblem, invalidFields } from '../errors.ts'
import type { Random } from '../random.ts'
import { comparable, isRight } from '../sync/members/quiz-answers.ts'
import { type Attempts, countQuizAttempt, readAttempts } from '../sync/members/quiz-attempts.queries.ts'
import { passMarkOf, type Quiz, type QuizQuestion } from '../sync/members/quiz.ts'
import { type ActDependencies, type ActRequest, readActSource } from './act-source.ts'
import { lockResult } from './lock-result.ts'
import { fault } from '../texts/faults.ts'
import { kindOfSource, ownHolders } from './own-holders.ts'
import { type AttemptsLeft, attemptsUsed, contestantOf, leftOf } from './quiz-attempts.ts'
import { type Change, recordLocked } from './record-check.ts'

export interface ShownQuiz {
  questions: Pick<QuizQuestion, 'question' | 'type' | 'options'>[]
  passMark: number
  /** Changes with the questions. */
  version: string
  attempts: AttemptsLeft & { allowed: number; periodSeconds: number }
  passed: boolean
}

export interface QuizRequest extends ActRequest {
  address?: string | undefined
  allowedAddresses: AllowedAddresses
  version: string
  /** One list for each question. */
  answers: readonly (readonly string[])[]
}

export interface QuizResult {
  passed: boolean
  /** Undefined if the account had passed before. */
  right: number | undefined
  attempts: AttemptsLeft
  /** If the member passed: the kind of the identity that became a holder. */
  kind: string | undefined
  change: Change
}

/** Quizzes of conditions (docs/quests.md). No response shows the right answers. */
export interface Quizzes {
  /** @throws as readActSource */
  read(request: ActRequest): Promise<ShownQuiz>
  /**
   * Counts an attempt. An account that passes becomes a holder in the same transaction. An account that had passed before
   * becomes a holder without an attempt.
   * @throws as readActSource, lockResult and ownHolders; ApiError 400 answers, 409 quiz_changed and attempts_used
   */
  answer(request: QuizRequest): Promise<QuizResult>
}

export function createQuizzes(deps: ActDependencies & { clock: Clock; random: Random }): Quizzes {
  const { database, clock, secret } = deps
  return {
    async read(request) {
      const { source } = await readActSource(deps, request, 'quiz')
      const attempts = await readAttempts(database.kysely, await contestantOf(database.kysely, secret, request))
      return {
        questions: shownQuestions(source),
        passMark: passMarkOf(source),
        version: versionOf(source),
        attempts: {
          ...leftOf(source, attempts, clock.now()),
          allowed: source.attempts,
          periodSeconds: source.periodSeconds,
        },
        passed: hasPassed(attempts),
      }
    },

    async answer(request) {
      const { accountId, credentialId } = request
      const { credential, source, origin } = await readActSource(deps, request, 'quiz')
      await ensureOwnAddress(deps, accountId, kindOfSource(credential))
      return database.kysely.transaction().execute(async (trx) => {
        // Attempts of one quiz, and changes of its list, wait for each other.
        await lockResult(trx, credentialId, origin, quizChanged)
        const { kind, holders } = await ownHolders(trx, accountId, credential, request)
        const contestant = await contestantOf(trx, secret, request)
        const before = await readAttempts(trx, contestant)
        const now = clock.now()
        const at = new Date(now)
        const held = { credentialId, holder: holders[0], held: true, at }
        if (hasPassed(before)) {
          const change = await recordLocked(trx, held, { live: false })
          return { passed: true, right: undefined, attempts: leftOf(source, before, now), kind, change }
        }
        const { right, passed } = mark(source, request)
        const { nextAt } = leftOf(source, before, now)
        if (nextAt) throw attemptsUsed(nextAt, now)
        const period = source.periodSeconds * SECOND
        const over = new Date(now - period)
        await countQuizAttempt(trx, { ...contestant, at, ends: new Date(now + period), over, passed })
        const attempts = leftOf(source, await readAttempts(trx, contestant), now)
        if (!passed) return { passed, right, attempts, kind: undefined, change: null }
        return { passed, right, attempts, kind, change: await recordLocked(trx, held, { live: false }) }
      })
    },
  }
}

const hasPassed = (attempts: readonly Attempts[]): boolean => attempts.some((one) => one.passed_at !== null)

/** @throws ApiError 409 quiz_changed; 400 that names each invalid answer */
function mark(quiz: Quiz, request: QuizRequest): { right: number; passed: boolean } {
  checkAnswers(quiz, request)
  const right = quiz.questions.filter((one, i) => isRight(one, request.answers[i] ?? [])).length
  return { right, passed: right >= passMarkOf(quiz) }
}

const shownQuestions = ({ questions }: Quiz): ShownQuiz['questions'] =>
  questions.map(({ question, type, options }) => ({ question, type, ...(options && { options }) }))

const quizChanged = () =>
  conflict('quiz_changed', 'The questions have changed; read them again. No attempt was counted')

/** Identifies the questions, so that answers do not count for questions that the member has not seen. */
const versionOf = (quiz: Quiz): string =>
  createHash('sha256')
    .update(JSON.stringify(shownQuestions(quiz)))
    .digest('base64url')
    .slice(0, 16)

/** @throws ApiError 409 quiz_changed; 400 that names each invalid answer */
function checkAnswers(quiz: Quiz, { version, answers }: QuizRequest): void {
  if (version !== versionOf(quiz)) throw quizChanged()
  if (answers.length !== quiz.questions.length)
    throw invalidFields([
      {
        field: 'answers',
        message: `must have ${quiz.questions.length} elements`,
        fault: fault('wrong_count', { min: quiz.questions.length, max: quiz.questions.length }),
      },
    ])
  const problems = quiz.questions.flatMap((question, i): FieldProblem[] => {
    const problem = problemOf(question, answers[i] ?? [])
    return problem === undefined ? [] : [{ field: `answers.${i}`, ...problem }]
  })
  const [first, ...more] = problems
  if (first) throw invalidFields([first, ...more])
}

function problemOf(
  { type, options = [] }: QuizQuestion,
  given: readonly string[],
): Omit<FieldProblem, 'field'> | undefined {
  if (type === 'text')
    return given.length === 1 && comparable(given[0] ?? '') !== ''
      ? undefined
      : { message: 'must have one text that is not empty', fault: fault('missing') }
  if (given.some((option) => !options.includes(option)) || new Set(given).size < given.length)
    return { message: 'must have different options of the question', fault: fault('not_one_of', { allowed: options }) }
  if (type === 'single')
    return given.length === 1
      ? undefined
      : { message: 'must have one option', fault: fault('wrong_count', { min: 1, max: 1 }) }
  return given.length > 0
    ? undefined
    : { message: 'must have at least one option', fault: fault('too_few', { min: 1 }) }
}
