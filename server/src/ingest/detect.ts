import { basename } from 'node:path'
import { type Adjustments, AS_WRITTEN, fieldOf } from './adjustments.ts'
import type { Fields } from './check.ts'
import { csvReader } from './csv.ts'
import { type KindName, kindNames, kinds } from './kinds.ts'
import { nearest } from '../text/nearest-name.ts'
import { shown } from './problems.ts'
import type { Format } from './read-rows.ts'
import { ImportFileError } from './source.ts'

const MOST_NAMED = 5
const DELIMITERS = [',', ';', '\t']
const isField = (fields: Fields, name: string) => Object.hasOwn(fields, name.trim())
const anyField = (name: string) => kindNames.some((kind) => isField(kinds[kind].fields, name))

/** What the first line that is not blank tells about a file: how it is written, and which fields it has. */
interface FirstLine {
  format: Format
  /** Absent for a list without a header. */
  fields?: string[]
}

/**
 * Finds out what a file is.
 * @param kind when it was told; else it is found in the file's name, or in its fields when these leave one kind only
 * @throws ImportFileError when nothing decides, with what would
 */
export function detect(
  name: string,
  firstLine: string,
  kind?: KindName,
  adjustments: Adjustments = AS_WRITTEN,
): { kind: KindName; format: Format } {
  const first = readFirstLine(firstLine, adjustments)
  const decided = kind ?? kindOfName(name) ?? kindOfFields(first.fields, adjustments)
  if (!decided)
    throw new ImportFileError(
      `${unknownFields(first.fields ?? [])}Neither the name nor the fields of the file tell its kind. Add --kind.\n${everyKind()}`,
    )
  if (first.format.type === 'list' && decided !== 'holders')
    throw new ImportFileError(
      `The first line is neither a JSON object nor a header with fields of ${decided}: ` +
        `${Object.keys(kinds[decided].fields).join(', ')}.`,
    )
  return { kind: decided, format: first.format }
}

/** Names the fields that the kind with the most of them does not have, a line; nothing when it has them all. */
function unknownFields(found: readonly string[]): string {
  const unknownTo = (kind: KindName) => found.filter((name) => !isField(kinds[kind].fields, name))
  const [closest] = kindNames.toSorted((a, b) => unknownTo(a).length - unknownTo(b).length)
  const unknown = closest === undefined ? [] : unknownTo(closest)
  if (closest === undefined || unknown.length === 0 || unknown.length === found.length) return ''
  const each = unknown.slice(0, MOST_NAMED).map((name) => {
    const meant = nearest(name, Object.keys(kinds[closest].fields))
    return `${shown(name)}${meant === undefined ? '' : ` (${meant}?)`}`
  })
  return `The fields are most like those of ${closest}, which has no ${each.join(', ')}.\n`
}

/** What the header or the keys of a first line say, when they leave one kind only. */
export function kindOfHeader(firstLine: string, adjustments: Adjustments = AS_WRITTEN): KindName | undefined {
  const { fields } = readFirstLine(firstLine, adjustments)
  return fields && kindOfFields(fields, adjustments)
}

/** The kinds with their fields, a line each. */
export function everyKind(): string {
  const lines = kindNames.map((kind) => `  ${kind}: ${Object.keys(kinds[kind].fields).join(', ')}`)
  return `The kinds and their fields:\n${lines.join('\n')}`
}

function readFirstLine(line: string, adjustments: Adjustments): FirstLine {
  const text = line.trim()
  if (text.startsWith('[')) throw new ImportFileError('The file is a JSON array; write one object a line (NDJSON).')
  if (text === '{')
    throw new ImportFileError('The file is a JSON object on several lines; write one object a line (NDJSON).')
  if (text.startsWith('{'))
    return { format: { type: 'ndjson' }, fields: keysOf(text).map((key) => fieldOf(key, adjustments)) }
  for (const delimiter of DELIMITERS) {
    const [record] = csvReader(delimiter).push(text)
    if (!record || !('fields' in record)) continue
    const fields = record.fields.map((column) => fieldOf(column, adjustments))
    if (fields.some(anyField)) return { format: { type: 'csv', delimiter }, fields }
  }
  return { format: { type: 'list', field: 'address' } }
}

function keysOf(json: string): string[] {
  try {
    return Object.keys(JSON.parse(json) as object)
  } catch {
    return [] // the line is told as a bad one when the file is read
  }
}

function kindOfName(name: string): KindName | undefined {
  const words = basename(name)
    .toLowerCase()
    .split(/[^a-z]+/)
  const found = kindNames.filter((kind) => words.includes(kind))
  return found.length === 1 ? found[0] : undefined
}

function kindOfFields(columns: string[] | undefined, { set, ignoreUnknown }: Adjustments): KindName | undefined {
  if (!columns) return 'holders'
  const found = [...columns, ...set.keys()]
  const fitting = kindNames.filter((kind) => {
    const { fields } = kinds[kind]
    const required = Object.keys(fields).filter((name) => fields[name]?.fallback === undefined)
    return (
      (ignoreUnknown || found.every((name) => isField(fields, name))) && required.every((name) => found.includes(name))
    )
  })
  return fitting.length === 1 ? fitting[0] : undefined
}
