import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../random.ts'

export type QuestionType = 'single' | 'several' | 'text'

/** Accepted answers as hashes. The key is random, so equal answers of two questions have different hashes. */
export interface HashedAnswers {
  key: string
  hashes: string[]
}

export interface HashableQuestion {
  question: string
  type: QuestionType
  options?: string[] | undefined
  /** A list only before the quiz is stored. */
  answers: string[] | HashedAnswers
}

const KEY_BYTES = 32
const NAME_LENGTH = 12

/** The form in which text answers are compared: NFKC, without spaces at the ends, in folded case. */
export const comparable = (text: string): string =>
  // Upper case first: lower case alone keeps ß and ss apart.
  text.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC')

/** The texts to hash: each accepted text, or all right options together, so that a part of them cannot be tested. */
function acceptedForms(type: QuestionType, answers: readonly string[]): string[] {
  return type === 'text' ? [...new Set(answers.map(comparable))] : [JSON.stringify(answers.toSorted())]
}

const hmac = (key: string, form: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64')).update(form).digest('base64')

const isHashed = (answers: HashableQuestion['answers']): answers is HashedAnswers => !Array.isArray(answers)

/** Replaces the answers of a question with hashes; those of an equal stored question stay as they are. */
export function hashAnswers<Q extends HashableQuestion>(question: Q, random: Random, stored: readonly Q[]): Q {
  const { answers, type } = question
  if (isHashed(answers)) return question
  const forms = acceptedForms(type, answers)
  const same = stored.find((one) => isSameQuestion(one, question) && hasForms(one.answers, forms))
  if (same) return { ...question, answers: same.answers }
  const key = random.bytes(KEY_BYTES).toString('base64')
  return { ...question, answers: { key, hashes: forms.map((form) => hmac(key, form)) } }
}

const isSameQuestion = (one: HashableQuestion, other: HashableQuestion): boolean =>
  one.question === other.question && hasSameChoice(one, other)

/** Whether the stored answers of one question can be those of the other. */
export const hasSameChoice = (
  one: Pick<HashableQuestion, 'type' | 'options'>,
  other: Pick<HashableQuestion, 'type' | 'options'>,
): boolean => one.type === other.type && JSON.stringify(one.options) === JSON.stringify(other.options)

function hasForms(answers: HashableQuestion['answers'], forms: readonly string[]): boolean {
  if (!isHashed(answers)) return false
  return JSON.stringify(answers.hashes) === JSON.stringify(forms.map((form) => hmac(answers.key, form)))
}

/** A random name of stored answers. It stays the same if the question is moved or reworded. */
export const nameOfAnswers = (answers: unknown): string =>
  typeof answers === 'object' && answers !== null && 'key' in answers && typeof answers.key === 'string'
    ? createHash('sha256').update(answers.key).digest('base64url').slice(0, NAME_LENGTH)
    : ''

export function isRight(
  { type, answers }: Pick<HashableQuestion, 'type' | 'answers'>,
  given: readonly string[],
): boolean {
  if (!isHashed(answers)) throw new Error('the answers of a stored quiz are hashed')
  const [form = ''] = acceptedForms(type, given)
  const hash = Buffer.from(hmac(answers.key, form), 'base64')
  // Compares with all answers, so that the time does not reveal which one was right.
  return answers.hashes.filter((known) => isEqual(Buffer.from(known, 'base64'), hash)).length > 0
}

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
