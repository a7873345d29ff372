import {
  describeFinding,
  type FindingMessage,
  findingTexts,
  type FindingValue,
  type PartCode,
  partTexts,
} from '../texts/findings.ts'

/** The result of one check. */
export interface Finding {
  name: string
  /** `name` in two parts, for other languages: the kind of check, and the thing that was checked. */
  check: string
  subject: string | undefined
  /** `note`: works, but needs attention; only `problem` fails the examination. */
  state: 'ok' | 'off' | 'note' | 'problem'
  says: string
  advice?: string
  /** The same for pages in other languages. */
  message: FindingMessage
}

type Name = string | readonly [check: string, subject: string | number]
type FindingCode = keyof typeof findingTexts

type WithAdvice = {
  [Code in FindingCode]: (typeof findingTexts)[Code] extends { advice: string } ? Code : never
}[FindingCode]
type WithoutAdvice = Exclude<FindingCode, WithAdvice>

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Own}|${string}` ? Own : Name) | Names<Rest>
  : never

type Texts<Code extends FindingCode> = (typeof findingTexts)[Code] extends { advice: infer Advice extends string }
  ? (typeof findingTexts)[Code]['says'] | Advice
  : (typeof findingTexts)[Code]['says']

/** The parameters that the texts of a message contain. */
type Parameters<Code extends FindingCode> =
  Names<Texts<Code>> extends never ? [] : [parameters: Record<Names<Texts<Code>>, FindingValue>]

function finding<Code extends FindingCode>(
  state: Finding['state'],
  named: Name,
  code: Code,
  [parameters]: Parameters<Code> | [],
): Finding {
  const [check, subject] = typeof named === 'string' ? [named] : [named[0], String(named[1])]
  const message: FindingMessage = { code, parameters: parameters ?? {} }
  const { says, advice } = describeFinding(message, { texts: findingTexts, parts: partTexts })
  const name = subject === undefined ? check : `${check} ${subject}`
  return { name, check, subject, state, says, ...(advice !== undefined && { advice }), message }
}

export const ok = <Code extends WithoutAdvice>(name: Name, code: Code, ...parameters: Parameters<Code>): Finding =>
  finding('ok', name, code, parameters)
export const off = <Code extends WithoutAdvice>(name: Name, code: Code, ...parameters: Parameters<Code>): Finding =>
  finding('off', name, code, parameters)
export const note = <Code extends WithAdvice>(name: Name, code: Code, ...parameters: Parameters<Code>): Finding =>
  finding('note', name, code, parameters)
export const problem = <Code extends WithAdvice>(name: Name, code: Code, ...parameters: Parameters<Code>): Finding =>
  finding('problem', name, code, parameters)

/** A part of a message that has its own translation. */
export const part = (code: PartCode, parameters: Record<string, string | number> = {}): FindingValue => [
  { code, parameters },
]

/** A kind without the settings that switch it on. */
export function notSet(name: Name, settings: readonly string[]): Finding {
  const [first = '', second] = settings
  return second === undefined ? off(name, 'not-set', { setting: first }) : off(name, 'neither-set', { first, second })
}
