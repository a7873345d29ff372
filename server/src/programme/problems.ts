/** A problem of a file, with the path of the field. */
export interface FileProblem {
  file: string
  line: number
  column: number
  path: string
  message: string
}

/** Files were not applied because of these problems; nothing was stored. */
export class ProgrammeRefusedError extends Error {
  override name = 'ProgrammeRefusedError'
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[]) {
    const shown = problems.slice(0, MAX_SHOWN).map(describe).join('\n')
    const rest = problems.length > MAX_SHOWN ? `\n… and ${problems.length - MAX_SHOWN} more` : ''
    super(`Nothing was stored: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}\n${shown}${rest}`)
    this.problems = problems
  }
}

const MAX_SHOWN = 100

function describe({ file, line, column, path, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`
}
