import { isNode, LineCounter, parseDocument } from 'yaml'
import { type ParsedFile, type Path, textOf } from './parsed-file.ts'
import { type FileProblem, ProgrammeRefusedError } from './problems.ts'

/** Parses YAML, which includes JSON. @throws ProgrammeRefusedError */
export function parseFile(name: string, text: string): ParsedFile {
  const lines = new LineCounter()
  // Integers above 2^53 would lose digits as numbers.
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false })
  const at = (offset: number, path: Path, message: string): FileProblem => {
    const { line, col } = lines.linePos(offset)
    return { file: name, line: Math.max(line, 1), column: Math.max(col, 1), path: textOf(path), message }
  }
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0)
    throw new ProgrammeRefusedError(faults.map(({ pos, message }) => at(pos[0], [], `is not valid YAML: ${message}`)))
  const problem = (path: Path, message: string): FileProblem => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return at(node.range[0], path, message)
    }
    return at(0, path, message)
  }
  return { name, value: toValue(document, problem), problem }
}

function toValue(document: ReturnType<typeof parseDocument>, problem: ParsedFile['problem']): unknown {
  try {
    return withNumbers(document.toJS())
  } catch (error) {
    // The library limits the aliases of a file.
    throw new ProgrammeRefusedError([problem([], (error as Error).message)])
  }
}

function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(withNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNumbers(inner)]))
}
