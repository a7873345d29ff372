import { describeFinding, type FindingMessage } from '../../../server/src/texts/findings.ts'
import type { Finding } from '../api/operator.ts'
import { operator } from '../texts/operator-pages.ts'

const t = operator.health

/** The texts of a finding in the language of the page. The service writes the English ones. */
export function textsOfFinding({ says, advice, message }: Finding): {
  summary: string
  advice: string | null
  isEnglish: boolean
} {
  const { texts, parts } = t.messages
  // A service that has just been updated can have findings and parts that this page does not know.
  const codes = Object.values(message.parameters).flatMap((value) =>
    Array.isArray(value) ? value.map(({ code }) => code) : [],
  )
  const isKnown =
    texts && parts && Object.hasOwn(texts, message.code) && codes.every((code) => Object.hasOwn(parts, code))
  if (!isKnown) return { summary: says, advice, isEnglish: true }
  const described = describeFinding(message as FindingMessage, { texts, parts })
  return { summary: described.says, advice: described.advice ?? null, isEnglish: false }
}

/** The name of a check in the language of the page. */
export const nameOfFinding = ({ check, subject }: Finding): string =>
  [t.checks[check] ?? check, subject].filter((part) => part !== null).join(' ')

export const findingColours: Record<Finding['state'], string> = {
  ok: 'teal',
  off: 'gray',
  note: 'yellow',
  problem: 'red',
}

/** Problems, then notes, then the rest. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  const rank = ({ state }: Finding) => ({ problem: 0, note: 1, ok: 2, off: 2 })[state]
  return findings.toSorted((a, b) => rank(a) - rank(b))
}

/** All findings in a few words, and the worst state. */
export function outcomeOf(findings: readonly Finding[]): { state: Finding['state']; text: string } {
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length
  const [problems, notes] = [count('problem'), count('note')]
  if (problems > 0) return { state: 'problem', text: t.problems(problems) }
  return notes > 0 ? { state: 'note', text: t.onlyNotes(notes) } : { state: 'ok', text: t.noProblems }
}
