import { type Fault, fault } from '../../texts/faults.ts'
import { SourceRefusedError } from '../source.ts'
import { isSettings, isStoredValue } from '../stored-value.ts'
import { type HashableQuestion, hasSameChoice, nameOfAnswers } from './quiz-answers.ts'

/** A question for readers: its answers have a name only. */
export const withoutAnswers = (question: unknown): unknown =>
  isSettings(question) ? { ...question, answers: { stored: nameOfAnswers(question.answers) } } : question

/**
 * Questions with `{"stored": name}` replaced by the stored answers of this name, wherever the question is now.
 * @throws SourceRefusedError that names the setting
 */
export function withStoredAnswers(questions: readonly unknown[], stored: unknown): unknown[] {
  const known = Array.isArray(stored) ? (stored as readonly HashableQuestion[]) : []
  return questions.map((question, i) => {
    if (!isSettings(question) || !isStoredValue(question.answers)) return question
    const { stored: name } = question.answers
    const found = name === '' ? undefined : known.find(({ answers }) => nameOfAnswers(answers) === name)
    const refuse = (message: string, fault: Fault) =>
      new SourceRefusedError([{ path: `questions.${i}.answers`, message, fault }])
    if (!found) throw refuse('has no stored value; give the value', fault('missing'))
    if (!hasSameChoice(question as unknown as HashableQuestion, found))
      throw refuse('must be given again, because the type or the options change', fault('give_again'))
    return { ...question, answers: found.answers }
  })
}
