import { basename } from 'node:path'
import { type Adjustments, AS_WRITTEN, fieldOf } from './adjustments.ts'
import type { Fields } from './check.ts'
import { csvReader } from './csv.ts'
import { type KindName, kindNames, kinds } from './kinds.ts'
import { nearest } from '../text/nearest-name.ts'
import { quoteValue } from './problems.ts'
import type { Format } from './read-rows.ts'
import { ImportFileError } from './source.ts'
import { type Fault, fault } from '../texts/faults.ts'

const MAX_LISTED_FIELDS = 5
export const DELIMITERS = [',', ';', '\t']
const isField = (fields: Fields, name: string) => Object.hasOwn(fields, name.trim())
/** Whether any kind has a field with this name. */
export const anyField = (name: string) => kindNames.some((kind) => isField(kinds[kind].fields, name))

/** The format and fields that the first non-blank line shows. */
interface FirstLine {
  format: Format
  /** Absent for a list without a header. */
  fields?: string[]
}

/**
 * Detects the format and kind of a file.
 * @param kind if undefined, detected from the file name, or from the fields if they match only one kind
 * @throws ImportFileError if the kind cannot be detected; the message explains how to specify it
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
      `${unknownFields(first.fields ?? [])}The name and the fields of the file match no single kind. Add --kind.\n${everyKind()}`,
      unknownKind(first.fields ?? []),
    )
  if (first.format.type === 'list' && decided !== 'holders')
    throw new ImportFileError(
      `The first line is neither a JSON object nor a header with fields of ${decided}: ` +
        `${Object.keys(kinds[decided].fields).join(', ')}.`,
      fault('other_kind', { kind: decided, allowed: Object.keys(kinds[decided].fields) }),
    )
  return { kind: decided, format: first.format }
}

/** The kind with the most of the fields, and the fields that it does not have; undefined if no kind is similar. */
function similarKind(found: readonly string[]): { kind: KindName; unknown: string[] } | undefined {
  const unknownTo = (kind: KindName) => found.filter((name) => !isField(kinds[kind].fields, name))
  const [kind] = kindNames.toSorted((a, b) => unknownTo(a).length - unknownTo(b).length)
  const unknown = kind === undefined ? [] : unknownTo(kind)
  if (kind === undefined || unknown.length === 0 || unknown.length === found.length) return undefined
  const each = unknown.slice(0, MAX_LISTED_FIELDS).map((name) => {
    const meant = nearest(name, Object.keys(kinds[kind].fields))
    return `${quoteValue(name)}${meant === undefined ? '' : ` (${meant}?)`}`
  })
  return { kind, unknown: each }
}

/** Lists the fields that are unknown to the most similar kind, or returns ''. */
function unknownFields(found: readonly string[]): string {
  const similar = similarKind(found)
  return similar ? `The most similar kind is ${similar.kind}, which has no ${similar.unknown.join(', ')}.\n` : ''
}

function unknownKind(found: readonly string[]): Fault {
  const similar = similarKind(found)
  return similar
    ? fault('similar_kind', { kind: similar.kind, columns: similar.unknown.join(', ') })
    : fault('unknown_kind')
}

/** The kind of a header or of the keys of a JSON object, if they match only one kind. */
export function kindOfHeader(firstLine: string, adjustments: Adjustments = AS_WRITTEN): KindName | undefined {
  const { fields } = readFirstLine(firstLine, adjustments)
  return fields && kindOfFields(fields, adjustments)
}

/** One line per kind with its fields. */
export function everyKind(): string {
  const lines = kindNames.map((kind) => `  ${kind}: ${Object.keys(kinds[kind].fields).join(', ')}`)
  return `Kinds and fields:\n${lines.join('\n')}`
}

const ONE_OBJECT = fault('one_object_per_line')

function readFirstLine(line: string, adjustments: Adjustments): FirstLine {
  const text = line.trim()
  if (text.startsWith('['))
    throw new ImportFileError('The file is a JSON array; write one object per line (NDJSON).', ONE_OBJECT)
  if (text === '{')
    throw new ImportFileError(
      'The file is a JSON object on several lines; write one object per line (NDJSON).',
      ONE_OBJECT,
    )
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
    return [] // readRows reports the invalid line
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
