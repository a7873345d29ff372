import type { QuestionForm, QuizForm } from '../api/sources.ts'
import { content as texts } from '../texts/index.ts'

const t = texts.source

/** Messages for fields without input, by their paths in the request. */
export const quizFaults = ({ questions }: QuizForm): Record<string, string> =>
  Object.fromEntries(
    questions.flatMap((question, i) =>
      questionFaults(question).map(([name, message]) => [`source.questions.${i}.${name}`, message]),
    ),
  )

function questionFaults({ question, type, options = [], answers }: QuestionForm): [string, string][] {
  const faults: [string, string][] = []
  if (question.trim() === '') faults.push(['question', t.missingText])
  if (type !== 'text' && new Set(options).size < 2) faults.push(['options', t.tooFewOptions])
  // Stored answers are not an array, and stay.
  if (Array.isArray(answers) && answers.length === 0 && (type === 'text' || options.length > 0))
    faults.push(['answers', type === 'text' ? t.missingAccepted : t.missingRight])
  return faults
}
