/** The codes of refused fields, files and requests, with the names of their parameters. docs/errors.md lists them; the pages translate them. */
export const faultCodes = {
  missing: [],
  unknown_field: [],
  not_allowed: [],
  wrong_type: ['expected'],
  wrong_format: ['format'],
  not_one_of: ['allowed'],
  wrong_length: ['min', 'max'],
  too_short: ['min'],
  too_long: ['max'],
  too_few: ['min'],
  too_many: ['max'],
  too_low: ['min'],
  too_high: ['max'],
  out_of_range: ['min', 'max'],
  not_multiple_of: ['step'],

  not_unique: [],
  unknown_reference: ['value'],
  unknown_page: [],
  before_start: [],
  not_after_start: [],
  not_in_future: [],
  above_cap: [],
  total_out_of_range: ['min', 'max'],

  one_of_two: [],
  no_reward: [],
  only_for_claims: [],
  no_event_source: [],
  no_amounts: [],
  too_late: ['latest'],
  too_early: ['earliest'],
  in_future: [],
  not_kept: [],
  one_list: [],
  needs_space: [],
  needed_for_event: ['event'],
  not_public: [],
  host_of_operators: [],
  operators_only: [],
  fixed_without_server: [],
  needs_server: [],
  other_host: ['host'],
  other_origin: [],
  other_spelling: ['normal'],
  image_too_large: ['bytes'],
  wrong_count: ['min', 'max'],
  writes_nothing: [],
  only_publishable: [],
  not_owned: ['value'],
  not_linked: [],
  unknown_account: [],
  not_in_team: [],
  wrong_source: [],
  give_again: [],
  reserved_header: [],
  needs_amount: [],
  no_address: [],
  no_number: [],
  one_answer: [],
  above_questions: [],

  not_a_column: ['allowed'],
  missing_column: [],
  same_as_line: ['line'],
  wrong_width: ['found', 'width'],
  not_json: [],
  not_csv: [],

  empty_file: [],
  no_records: [],
  no_data: [],
  file_too_large: ['bytes'],
  line_too_long: ['max'],
  damaged_gzip: [],
  not_utf8: [],
  one_object_per_line: [],
  unknown_kind: [],
  similar_kind: ['kind', 'columns'],
  other_kind: ['kind', 'allowed'],
  only_holders: ['kind'],
  needs_credential: [],
  unknown_columns: ['columns'],
  upload_ended: [],
  replacement_ended: [],
  interrupted: [],
  internal_error: [],

  not_reversible: [],
  entry_expired: [],
  member_erased: [],
  sprint_deleted: [],
  too_many_snapshots: ['max'],
  too_many_unsealed: ['max'],
  list_incomplete: [],
  list_empty: [],
  not_sealed: [],
  required_by_quests: ['quests'],
  too_many_listeners: [],
  unreadable_source: [],
  wrong_code: ['left'],
} as const satisfies Record<string, readonly string[]>

export type FaultCode = keyof typeof faultCodes
export type FaultValue = string | number | readonly string[]

/** The reason for which a field, file or request is refused. */
export interface Fault {
  code: FaultCode
  parameters: Readonly<Record<string, FaultValue>>
}

/** The values of the parameter `expected`. */
export const faultTypes = ['text', 'number', 'whole_number', 'true_or_false', 'list', 'object'] as const
export type FaultType = (typeof faultTypes)[number]

/** The values of the parameter `format`. */
export const faultFormats = [
  'time',
  'base64',
  'decimal',
  'storable_text',
  'credential_id',
  'object_id',
  'entry_id',
  'key',
  'tags',
  'credential_groups',
  'member',
  'evm_address',
  'solana_address',
  'x_name',
  'x_id',
  'url',
  'https_url',
  'origin',
  'redirect_uri',
  'no_fragment',
  'picture_url',
  'url_with_address',
  'domain',
  'app_name',
  'visible_text',
  'letter_or_digit',
  'username',
  'plan_name',
  'slug',
  'rule_id',
  'quest_id',
  'space_id',
  'base_units',
  'secret',
  'header_names',
  'header_values',
  'json_pointer',
  'event',
  'snapshot_proposal',
  'snapshot_space',
  'mail_address',
  'mail_code',
  'telegram_chat',
  'telegram_token',
  'github_repository',
  'discord_id',
  'image',
  'pattern',
] as const
export type FaultFormat = (typeof faultFormats)[number]

interface FixedValues {
  expected: FaultType
  format: FaultFormat
  allowed: readonly string[]
}

type Parameters<Code extends FaultCode> = {
  readonly [Name in (typeof faultCodes)[Code][number]]: Name extends keyof FixedValues
    ? FixedValues[Name]
    : string | number
}

/** A fault; codes without parameters take none. */
export const fault = <Code extends FaultCode>(
  code: Code,
  ...[parameters]: (typeof faultCodes)[Code] extends readonly [] ? [] : [Parameters<Code>]
): Fault => ({ code, parameters: { ...parameters } })

/** IDs are text, because pages show numbers with separators. */
export const unknownReference = (id: string | number): Fault => fault('unknown_reference', { value: String(id) })

export const wrongFormat = (format: FaultFormat): Fault => fault('wrong_format', { format })

/** The texts of faults in one language. `{name}` is replaced by a parameter. */
export interface FaultCatalogue {
  texts: Readonly<Record<FaultCode, string>>
  formats: Readonly<Record<FaultFormat, string>>
  types: Readonly<Record<FaultType, string>>
}

/**
 * The text of a fault in one language. Undefined if the catalogue does not have its code, format or type: the page can be
 * older than the service.
 * @param show writes numbers and times in the language
 */
export function describeFault(
  { code, parameters }: { code: string; parameters: Fault['parameters'] },
  { texts, formats, types }: FaultCatalogue,
  show: (value: string | number) => string,
): string | undefined {
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = { format: formats, expected: types }
  const textOf = (name: string, value: FaultValue) => {
    const known = words[name]
    if (known) return own(known, String(value))
    return typeof value === 'object' ? value.join(', ') : show(value)
  }
  const values = new Map(Object.entries(parameters).map(([name, value]) => [name, textOf(name, value)]))
  if ([...values.values()].includes(undefined)) return undefined
  return own(texts, code)?.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '')
}

const own = (texts: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined
