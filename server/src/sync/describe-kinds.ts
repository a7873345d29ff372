import { z } from 'zod'
import { kinds as recordKinds } from '../ingest/kinds.ts'
import { kindOf, modeOf, type SourceKindName, sourceKinds } from './source.ts'
import { credSourceOf } from './set-source.ts'
import type { Act } from './source-kind.ts'
import { isWriteOnly } from './write-only.ts'

/** The type of the input of a setting. `variants`: one of several objects, whose settings follow with `variant`. */
export const FIELD_TYPES = ['text', 'number', 'flag', 'choice', 'lines', 'headers', 'json', 'variants'] as const

/** A setting of a source, for forms. */
export interface SourceField {
  /** Its path in the source, such as `next.page.parameter`. */
  path: string
  type: (typeof FIELD_TYPES)[number]
  required: boolean
  default: unknown
  /** Whether readers get `{"stored": …}` in place of the value. */
  writeOnly: boolean
  /** The values of a choice, or the names of the variants. */
  choices: string[]
  /** For a setting that only one variant or value of another setting uses: this setting, and the variant or value. */
  variant: { of: string; name: string } | null
  minimum: number | null
  maximum: number | null
  /** The maximum length of a text, and of each line. */
  maxLength: number | null
  /** Whether a text of digits is sent as a number. */
  orNumber: boolean
}

export interface DescribedKind {
  kind: SourceKindName
  group: 'lists' | 'chains' | 'platforms' | 'members' | 'checks'
  lists: boolean
  checks: boolean
  act: Act | null
  /** The type of the credentials that it can decide; null for all types. */
  credType: string | null
  /** The kind of the identities that it checks; null for addresses of the credential's type. */
  identityKind: string | null
  /** The `credSource` of a new credential with this kind. */
  credSource: string
  fields: SourceField[]
}

interface Schema {
  type?: string
  const?: unknown
  default?: unknown
  enum?: string[]
  minimum?: number
  maximum?: number
  maxLength?: number
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}

let described: DescribedKind[] | undefined

/** The kinds of sources with their settings, from the schemas that validate them. */
export const describeKinds = (): DescribedKind[] => (described ??= sourceKinds.map(describe))

function describe(name: SourceKindName): DescribedKind {
  const { schema, formats = {}, list, check, act = null, credType = null, identityKind = null, platform } = kindOf(name)
  const settings = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
  const isChain = settings.properties?.rpcUrl !== undefined
  const ofPlatform = platform === true || identityKind !== null
  return {
    kind: name,
    group: act ? 'members' : isChain ? 'chains' : ofPlatform ? 'platforms' : list ? 'lists' : 'checks',
    lists: list !== undefined,
    checks: check !== undefined,
    act,
    credType,
    identityKind,
    credSource: credSourceFor(name),
    // The pages have separate forms for quizzes and visit links.
    fields: act ? [] : fieldsOf(settings, '', null).map((field) => ofFormat(field, formats[field.path])),
  }
}

/** Kinds that are not in the enumeration of the API count as the operator's own lists. */
function credSourceFor(name: SourceKindName): string {
  const credSource = credSourceOf(name)
  const isKnown = recordKinds.credentials.fields.credSource?.read(credSource) !== undefined
  return isKnown || modeOf(name) === 'live' ? credSource : 'REST'
}

function fieldsOf(schema: Schema, prefix: string, variant: SourceField['variant']): SourceField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, setting]) => {
    if (setting.const !== undefined) return []
    const required = schema.required?.includes(name) ?? false
    return fieldOf(setting, { path: `${prefix}${name}`, name, required, variant })
  })
}

const ofFormat = (field: SourceField, format: string | undefined): SourceField =>
  format === undefined ? field : { ...field, variant: { of: 'format', name: format } }

interface FieldContext {
  path: string
  name: string
  required: boolean
  variant: SourceField['variant']
}

function fieldOf(setting: Schema, { path, name, required, variant }: FieldContext): SourceField[] {
  const variants = setting.anyOf?.every(({ type }) => type === 'object') ? setting.anyOf : undefined
  if (setting.properties) return fieldsOf(setting, `${path}.`, variant)
  const one: SourceField = {
    path,
    type: variants ? 'variants' : typeOf(setting),
    required,
    default: setting.default ?? null,
    writeOnly: variant === null && isWriteOnly(name),
    choices: setting.enum ?? variants?.map(nameOf) ?? [],
    variant,
    minimum: setting.minimum ?? null,
    maximum: setting.maximum ?? null,
    maxLength: setting.maxLength ?? setting.items?.maxLength ?? null,
    orNumber: setting.anyOf?.some(({ type }) => type === 'integer') ?? false,
  }
  const ofVariants = variants?.flatMap((branch) => fieldsOf(branch, `${path}.`, { of: path, name: nameOf(branch) }))
  return [one, ...(ofVariants ?? [])]
}

/** A variant is named by its first setting. */
const nameOf = (variant: Schema): string => Object.keys(variant.properties ?? {})[0] ?? ''

function typeOf({ type, enum: values, additionalProperties }: Schema): SourceField['type'] {
  if (values) return 'choice'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'flag'
  if (type === 'array') return 'lines'
  if (type !== 'object') return 'text'
  return typeof additionalProperties === 'object' && additionalProperties.type === 'string' ? 'headers' : 'json'
}
