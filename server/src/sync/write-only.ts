import { fault } from '../texts/faults.ts'
import { withoutAnswers, withStoredAnswers } from './members/stored-answers.ts'
import { SourceRefusedError } from './source.ts'
import { isSettings, isStoredValue, type Settings } from './stored-value.ts'

/** Settings that may contain a key. Readers see only the host of a URL, and no other value. */
const WRITE_ONLY = /(^url|Url|token|secret|password|apiKey)$/i

export const isWriteOnly = (setting: string): boolean => setting === 'headers' || WRITE_ONLY.test(setting)

/** A source for readers: each write-only value is replaced with `{"stored": …}`. */
export function withoutSecrets(source: Settings): Settings {
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => {
      if (name === 'headers' && isSettings(value))
        return [name, Object.fromEntries(Object.keys(value).map((header) => [header, { stored: '' }]))]
      if (name === 'questions' && Array.isArray(value)) return [name, value.map(withoutAnswers)]
      if (typeof value === 'string' && WRITE_ONLY.test(name))
        return [name, { stored: /^https?:/i.test(value) ? (URL.parse(value)?.host ?? '') : '' }]
      return [name, value]
    }),
  )
}

/**
 * A source with `{"stored": …}` replaced by the stored values. A stored key is not sent to another host, so it must be
 * sent again if the host changes. @throws SourceRefusedError that names the setting
 */
export function withStoredValues(source: unknown, stored: Settings | undefined): unknown {
  if (!isSettings(source)) return source
  const settings: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(source)) settings[name] = isStoredValue(value) ? take(stored, name) : value
  const sameHost = hostsOf(settings) === hostsOf(stored)
  for (const [name, value] of Object.entries(source)) if (isStoredValue(value) && !sameHost) refuse(name)
  if (Array.isArray(settings.questions)) settings.questions = withStoredAnswers(settings.questions, stored?.questions)
  const { headers } = settings
  if (!isSettings(headers)) return settings
  const storedHeaders = isSettings(stored?.headers) ? stored.headers : undefined
  settings.headers = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!isStoredValue(value)) return [name, value]
      if (!sameHost) refuse(`headers.${name}`)
      return [name, take(storedHeaders, name, `headers.${name}`)]
    }),
  )
  return settings
}

function take(stored: Settings | undefined, name: string, path = name): unknown {
  if (stored && Object.hasOwn(stored, name)) return stored[name]
  throw new SourceRefusedError([{ path, message: 'has no stored value; give the value', fault: fault('missing') }])
}

function refuse(path: string): never {
  throw new SourceRefusedError([
    { path, message: 'must be given again, because the host of the source changes', fault: fault('give_again') },
  ])
}

/** The hosts of a source, or its kind if the kind determines the host. */
function hostsOf(source: Settings | undefined): string {
  const urls = Object.values(source ?? {}).flatMap((value) =>
    typeof value === 'string' && /^https?:/i.test(value) ? [URL.parse(value)?.origin] : [],
  )
  return urls.length > 0 ? urls.toSorted().join(' ') : String(source?.kind)
}
