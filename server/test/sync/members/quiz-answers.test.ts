import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../../src/random.ts'
import { hashAnswers, isRight, nameOfAnswers, type HashableQuestion } from '../../../src/sync/members/quiz-answers.ts'
import { concealed, parseSource, SourceRefusedError } from '../../../src/sync/source.ts'
import { withoutSecrets, withStoredValues } from '../../../src/sync/write-only.ts'

const single = { question: 'Which?', type: 'single' as const, options: ['A', 'B', 'C'], answers: ['B'] }
const several = { question: 'Which two?', type: 'several' as const, options: ['A', 'B', 'C'], answers: ['A', 'C'] }
const text = { question: 'Capital?', type: 'text' as const, answers: ['Straße', '  Zürich '] }
const QUIZ = { kind: 'QUIZ', questions: [single, several, text] }

const stored = (source: object = QUIZ) => concealed(parseSource(source), systemRandom)
const hash = (question: HashableQuestion) => hashAnswers(question, systemRandom, [])
const problemsOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof SourceRefusedError) return error.problems.map(({ path }) => path)
    throw error
  }
  return []
}

describe('an answer', () => {
  test.each(['strasse', 'STRASSE', ' straße ', 'zürich', 'Zu\u0308rich', 'ＺÜＲＩＣＨ\u00a0'])(
    'of text is right without regard to case, width, composition and spaces around it: %j',
    (given) => expect(isRight(hash(text), [given])).toBe(true),
  )

  test.each(['stra', 'zurich', '', 'zür ich'])('of text is wrong: %j', (given) =>
    expect(isRight(hash(text), [given])).toBe(false),
  )

  test('is right with all right options in any order, and with no other', () => {
    const question = hash(several)
    expect(isRight(question, ['C', 'A'])).toBe(true)
    for (const given of [['A'], ['A', 'B', 'C'], ['A', 'B'], []]) expect(isRight(question, given)).toBe(false)
    expect(isRight(hash(single), ['B'])).toBe(true)
    expect(isRight(hash(single), ['A'])).toBe(false)
  })

  test('has another hash in each question', () => {
    expect(hash(single).answers).not.toEqual(hash(single).answers)
    expect(JSON.stringify(stored())).not.toMatch(/Zürich|zürich|Straße|strasse|"answers":\["/i)
  })
})

describe('a stored quiz', () => {
  test('shows names of its answers, and keeps them where a question moves or has other words', () => {
    const before = stored()
    const shown = withoutSecrets(before) as { questions: { answers: { stored: string } }[] }
    expect(shown.questions.map(({ answers }) => answers.stored)).toEqual(
      (before as unknown as { questions: HashableQuestion[] }).questions.map(({ answers }) => nameOfAnswers(answers)),
    )
    const [first, second, third] = shown.questions as [object, object, object]
    const changed = { ...shown, questions: [third, { ...second, question: 'Which ones?' }, first] }
    const after = stored(withStoredValues(changed, before) as object) as unknown as { questions: HashableQuestion[] }
    const [a, b, c] = after.questions
    expect([
      isRight(a as HashableQuestion, ['zürich']),
      isRight(b as HashableQuestion, ['A', 'C']),
      isRight(c as HashableQuestion, ['B']),
    ]).toEqual([true, true, true])
  })

  test('needs answers again when the options or the type change, or when it has none', () => {
    const before = stored()
    const { questions } = withoutSecrets(before) as { questions: [object, object, object] }
    const put = (changed: object) =>
      problemsOf(() => withStoredValues({ kind: 'QUIZ', questions: [questions[2], changed] }, before))
    expect(put({ ...questions[0], options: ['A', 'B'] })).toEqual(['questions.1.answers'])
    expect(put({ ...questions[0], type: 'several' })).toEqual(['questions.1.answers'])
    expect(put({ ...single, answers: { stored: '' } })).toEqual(['questions.1.answers'])
    expect(put({ ...single, answers: { stored: 'abcdefabcdef' } })).toEqual(['questions.1.answers'])
    expect(put(questions[0])).toEqual([])
  })

  test('stays the same when the same answers are given again', () => {
    const before = stored()
    expect(concealed(parseSource(QUIZ), systemRandom, before)).toEqual(before)
    const other = { ...QUIZ, questions: [{ ...single, answers: ['A'] }, several, text] }
    expect(concealed(parseSource(other), systemRandom, before)).not.toEqual(before)
  })
})

describe('the service refuses a quiz', () => {
  const of = (question: object, more: object = {}) => ({ kind: 'QUIZ', questions: [question], ...more })
  test.each([
    ['questions', { kind: 'QUIZ', questions: [] }],
    ['questions', { kind: 'QUIZ', questions: Array.from({ length: 21 }, () => single) }],
    ['questions', { kind: 'QUIZ' }],
    ['questions.0.question', of({ ...single, question: '' })],
    ['questions.0.type', of({ ...single, type: 'essay' })],
    ['questions.0.options', of({ ...single, options: undefined })],
    ['questions.0.options', of({ ...single, options: ['B'] })],
    ['questions.0.options', of({ ...single, options: ['B', 'B'] })],
    ['questions.0.options', of({ ...text, options: ['Straße', 'Zürich'] })],
    ['questions.0.answers', of({ ...single, answers: ['D'] })],
    ['questions.0.answers', of({ ...single, answers: ['A', 'B'] })],
    ['questions.0.answers', of({ ...several, answers: ['A', 'A'] })],
    ['questions.0.answers', of({ ...text, answers: [] })],
    ['questions.0.answers.0', of({ ...text, answers: [' \u3000'] })],
    ['questions.0.answers', of({ ...text, answers: 'Zürich' })],
    ['passMark', of(single, { passMark: 2 })],
    ['attempts', of(single, { attempts: 0 })],
    ['periodSeconds', of(single, { periodSeconds: 59 })],
    ['', of(single, { hint: 'B' })],
  ])('for %s of %j', (path, source) => expect(problemsOf(() => parseSource(source))).toEqual([path]))
})

describe('a link to visit', () => {
  test.each([
    'http://example.org/',
    'https://user:password@example.org/',
    'javascript:alert(1)',
    '//example.org/',
    'https://example.org/\u202e',
    '',
  ])('may not have the target %j', (target) =>
    expect(problemsOf(() => parseSource({ kind: 'VISIT_LINK', target }))).toContain('target'),
  )

  test('shows its target', () => {
    const source = { kind: 'VISIT_LINK', target: 'https://example.org/a?b=c#d' }
    expect(withoutSecrets(parseSource(source))).toEqual(source)
  })
})
