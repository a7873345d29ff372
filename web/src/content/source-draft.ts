import { entriesOf } from '../shell/lines.ts'
import type { SourceField, SourceKind, SourceSettings } from '../api/sources.ts'

/** A header, whose stored value is kept while the field is empty. */
export interface HeaderInput {
  name: string
  value: string
  stored: boolean
}

export type Input = string | number | boolean | HeaderInput[] | undefined

/** The entered values by the path of the setting. */
export type Draft = Readonly<Record<string, Input>>

/** Settings whose stored values are hidden, by path: the host of a URL, or an empty text. */
export type StoredValues = Readonly<Record<string, string>>

interface Hidden {
  stored: string
}

const isHidden = (value: unknown): value is Hidden =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Hidden>).stored === 'string'

const valueAt = (source: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], source)

/** Shares are entered in percent. */
export const isShare = ({ type, minimum, maximum }: SourceField): boolean =>
  type === 'number' && minimum === 0 && maximum === 1

/** Whether the draft uses the field: fields of another variant, or of another format, are absent. */
export const isShown = ({ variant }: SourceField, draft: Draft): boolean =>
  variant === null || draft[variant.of] === variant.name

export function draftOf({ fields }: SourceKind, source: SourceSettings | undefined): Draft {
  return Object.fromEntries(fields.map((field) => [field.path, inputOf(field, valueAt(source, field.path))]))
}

export function storedValues({ fields }: SourceKind, source: SourceSettings | undefined): StoredValues {
  const hidden = fields.flatMap(({ path }) => {
    const value = valueAt(source, path)
    return isHidden(value) ? [[path, value.stored]] : []
  })
  return Object.fromEntries(hidden) as StoredValues
}

function inputOf(field: SourceField, stored: unknown): Input {
  const value = stored ?? field.default
  switch (field.type) {
    case 'number':
      if (typeof value !== 'number') return undefined
      return isShare(field) ? Math.round(value * 10_000) / 100 : value
    case 'flag':
      return value === true
    case 'lines':
      return Array.isArray(value) ? value.join('\n') : ''
    case 'json':
      return value === null ? '' : JSON.stringify(value, null, 2)
    case 'headers':
      return Object.keys(value ?? {}).map((name) => ({ name, value: '', stored: true }))
    case 'variants':
      return Object.keys(value ?? {}).find((name) => field.choices.includes(name)) ?? firstOf(field)
    case 'choice':
    case 'text':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
}

const firstOf = ({ required, choices }: SourceField): string => (required ? (choices[0] ?? '') : '')

/** The settings as they are sent. @throws SyntaxError for a text that is not JSON */
export function sourceOf({ kind, fields }: SourceKind, draft: Draft, stored: StoredValues): SourceSettings {
  const source: SourceSettings = { kind }
  for (const field of fields) {
    if (!isShown(field, draft) || field.type === 'variants') continue
    const value = settingOf(field, draft[field.path], field.path in stored)
    if (value !== undefined) put(source, field.path.split('.'), value)
  }
  return source
}

function settingOf(field: SourceField, input: Input, isStored: boolean): unknown {
  if (typeof input === 'number') return isShare(field) ? input / 100 : input
  if (typeof input === 'boolean' || input === undefined) return input
  if (typeof input !== 'string') return headersOf(input)
  const text = field.type === 'text' && field.maxLength === 1 ? input : input.trim()
  if (text === '' && isStored) return { stored: '' }
  if (field.type === 'lines') return text === '' && !field.required ? undefined : entriesOf(text)
  if (field.type === 'json') return text === '' ? undefined : (JSON.parse(text) as unknown)
  if (text === '' && (!field.required || field.type === 'choice')) return undefined
  return field.orNumber && /^\d+$/.test(text) ? Number(text) : text
}

function headersOf(headers: readonly HeaderInput[]): unknown {
  const named = headers.filter(({ name }) => name.trim() !== '')
  if (named.length === 0) return undefined
  return Object.fromEntries(
    named.map(({ name, value, stored }) => [
      name.trim().toLowerCase(),
      value === '' && stored ? { stored: '' } : value.trim(),
    ]),
  )
}

function put(source: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) source[name] = value
  else put((source[name] ??= {}) as Record<string, unknown>, rest, value)
}
