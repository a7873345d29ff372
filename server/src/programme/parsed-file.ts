import type { FileProblem } from './problems.ts'

/** The keys that lead to a value of a file. */
export type Path = readonly (string | number)[]

export interface ParsedFile {
  name: string
  value: unknown
  /** The problem of a value, at its line; at the nearest value around it if it is absent. */
  problem(path: Path, message: string): FileProblem
}

/** The body of a request, in which problems have no line. */
export const bodyAsFile = (value: unknown): ParsedFile => ({
  name: 'body',
  value,
  problem: (path, message) => ({ file: 'body', line: 1, column: 1, path: textOf(path), message }),
})

/** `spaces[0].quests[1].name` */
export function textOf(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
}

/** The keys of a text such as `credentialGroups[0].name`. */
export function pathOf(text: string): (string | number)[] {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  )
}
