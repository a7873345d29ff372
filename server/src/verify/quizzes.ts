import { createHash } from 'node:crypto'
import { type Clock, SECOND } from '../clock.ts'
import type { Nameable } from '../claims/own-addresses.ts'
import { ApiError, conflict, type FieldProblem, invalidFields } from '../errors.ts'
import { verificationsByAccount } from '../rate-limit/rate-limit.ts'
import { lockCredential } from '../sync/checks.queries.ts'
import { comparable, isRight } from '../sync/members/quiz-answers.ts'
import { type Attempts, countQuizAttempt, readAttempts } from '../sync/members/quiz-attempts.queries.ts'
import { passMarkOf, type Quiz, type QuizQuestion } from '../sync/members/quiz.ts'
import { type ActDependencies, type ActRequest, readActSource } from './act-source.ts'
import { limitAttempts } from './limit-attempts.ts'
import { ownHolders } from './own-holders.ts'
import { type Change, recordLocked } from './record-check.ts'

export interface AttemptsLeft {
  left: number
  /** When there are attempts again, if none is left. */
  nextAt: Date | undefined
}

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
  nameable: Nameable
  version: string
  /** One list for each question. */
  answers: readonly (readonly string[])[]
}

export interface QuizResult {
  passed: boolean
  /** Undefined if the account had passed before. */
  right: number | undefined
  attempts: AttemptsLeft
  /** Of a member who passed: the kind of the identity that became a holder. */
  kind: string | undefined
  change: Change
}

/** Quizzes of conditions (docs/quests.md). Which answers were right is never told. */
export interface Quizzes {
  /** @throws as readActSource */
  read(request: ActRequest): Promise<ShownQuiz>
  /**
   * Counts an attempt. Who passes becomes a holder in the same transaction; who had passed before is recorded without
   * an attempt.
   * @throws as readActSource and ownHolders; ApiError 400 answers, 409 quiz_changed and attempts_used, 429
   */
  answer(request: QuizRequest): Promise<QuizResult>
}

export function createQuizzes(deps: ActDependencies & { clock: Clock }): Quizzes {
  const { database, clock } = deps
  return {
    async read(request) {
      const { source } = await readActSource(deps, request, 'quiz')
      const attempts = await readAttempts(database, request.credentialId, request.accountId)
      return {
        questions: shownQuestions(source),
        passMark: passMarkOf(source),
        version: versionOf(source),
        attempts: {
          ...leftOf(source, attempts, clock.now()),
          allowed: source.attempts,
          periodSeconds: source.periodSeconds,
        },
        passed: attempts !== undefined && attempts.passed_at !== null,
      }
    },

    async answer(request) {
      const { accountId, credentialId, answers } = request
      await limitAttempts(deps, verificationsByAccount, accountId)
      const { credential, source } = await readActSource(deps, request, 'quiz')
      const { kind, holders } = await ownHolders(database, accountId, credential, request)
      const before = await readAttempts(database, credentialId, accountId)
      const known = before !== undefined && before.passed_at !== null
      if (!known) checkAnswers(source, request)
      const right = known ? undefined : source.questions.filter((one, i) => isRight(one, answers[i] ?? [])).length
      const passed = right === undefined || right >= passMarkOf(source)
      const now = clock.now()
      const at = new Date(now)
      return database.kysely.transaction().execute(async (trx) => {
        // Attempts of one quiz, and changes of its list, wait for each other.
        await lockCredential(trx, credentialId)
        const over = new Date(now - source.periodSeconds * SECOND)
        const attempt = { credentialId, accountId, allowed: source.attempts, at, over, passed }
        const counted = known ? before : await countQuizAttempt(trx, attempt)
        if (!counted) throw attemptsUsed(source, await readAttempts(database, credentialId, accountId), now)
        const change = passed
          ? await recordLocked(trx, { credentialId, holder: holders[0], held: true, at }, { live: false })
          : null
        return {
          passed,
          right,
          attempts: leftOf(source, counted, now),
          kind: passed ? kind : undefined,
          change,
        }
      })
    },
  }
}

const shownQuestions = ({ questions }: Quiz): ShownQuiz['questions'] =>
  questions.map(({ question, type, options }) => ({ question, type, ...(options && { options }) }))

/** So that answers do not count for questions that the member has not seen. */
const versionOf = (quiz: Quiz): string =>
  createHash('sha256')
    .update(JSON.stringify(shownQuestions(quiz)))
    .digest('base64url')
    .slice(0, 16)

function leftOf({ attempts: allowed, periodSeconds }: Quiz, counted: Attempts | undefined, now: number): AttemptsLeft {
  const ends = (counted?.period_started.getTime() ?? 0) + periodSeconds * SECOND
  if (!counted || ends <= now) return { left: allowed, nextAt: undefined }
  const left = Math.max(0, allowed - counted.used)
  return { left, nextAt: left === 0 ? new Date(ends) : undefined }
}

function attemptsUsed(quiz: Quiz, counted: Attempts | undefined, now: number): ApiError {
  const nextAt = leftOf(quiz, counted, now).nextAt ?? new Date(now + SECOND)
  const seconds = Math.ceil((nextAt.getTime() - now) / SECOND)
  return new ApiError(409, 'attempts_used', `No attempt is left; the next one is possible at ${nextAt.toISOString()}`, {
    details: { nextAttemptAt: nextAt.toISOString() },
    headers: { 'retry-after': String(seconds) },
  })
}

/** @throws ApiError 409 quiz_changed; 400 that names each answer */
function checkAnswers(quiz: Quiz, { version, answers }: QuizRequest): void {
  if (version !== versionOf(quiz))
    throw conflict('quiz_changed', 'The questions have changed; read them again. No attempt was counted')
  if (answers.length !== quiz.questions.length)
    throw invalidFields([{ field: 'answers', message: `must have ${quiz.questions.length} elements` }])
  const problems = quiz.questions.flatMap((question, i): FieldProblem[] => {
    const message = problemOf(question, answers[i] ?? [])
    return message === undefined ? [] : [{ field: `answers.${i}`, message }]
  })
  const [first, ...more] = problems
  if (first) throw invalidFields([first, ...more])
}

function problemOf({ type, options = [] }: QuizQuestion, given: readonly string[]): string | undefined {
  if (type === 'text')
    return given.length === 1 && comparable(given[0] ?? '') !== '' ? undefined : 'must have one text that is not empty'
  if (given.some((option) => !options.includes(option)) || new Set(given).size < given.length)
    return 'must have different options of the question'
  if (type === 'single') return given.length === 1 ? undefined : 'must have one option'
  return given.length > 0 ? undefined : 'must have at least one option'
}
