import { invalidRequest, OauthError } from './errors.ts'
import { readFlatJson } from './flat-json.ts'

/** The parameters of a request, each at most once. An empty value counts as absent (RFC 6749 3.1). */
export type Parameters = ReadonlyMap<string, string>

const MAX_PARAMETERS = 40
const MAX_VALUE_LENGTH = 4096
const nameShape = /^[A-Za-z0-9_.-]{1,64}$/

/** Formats the name of a parameter for an error. */
type Label = (name: string) => string

const quoted: Label = (name) => `The parameter ${name}`

/** Reads a query string without the leading `?`. @throws OauthError invalid_request */
export function readQuery(text: string, label = quoted): Parameters {
  return collect(readForm(text), label)
}

/** Reads a body of a supported media type. @throws OauthError invalid_request (400, 415) */
export async function readBody(
  contentType: string | undefined,
  body: Buffer | undefined,
  label = quoted,
): Promise<Parameters> {
  const bytes = body ?? Buffer.alloc(0)
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase()
  if (mediaType === 'application/x-www-form-urlencoded') return collect(readForm(utf8(bytes)), label)
  if (mediaType === 'application/json') return collect(readFlatJson(utf8(bytes)), label)
  if (mediaType === 'multipart/form-data') return collect(await readMultipart(contentType as string, bytes), label)
  if (mediaType === undefined && bytes.length === 0) return new Map()
  throw new OauthError('invalid_request', 'Content-Type must be application/x-www-form-urlencoded', { status: 415 })
}

function collect(pairs: Iterable<readonly [string, string]>, label: Label): Parameters {
  const parameters = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of pairs) {
    if (!nameShape.test(name)) throw invalidRequest('A parameter name may have letters, digits and _ . - only')
    if (seen.has(name)) throw invalidRequest(`${label(name)} occurs more than once`)
    if (seen.size === MAX_PARAMETERS) throw invalidRequest(`At most ${MAX_PARAMETERS} parameters are allowed`)
    if (value.length > MAX_VALUE_LENGTH)
      throw invalidRequest(`${label(name)} is longer than ${MAX_VALUE_LENGTH} characters`)
    if (value.includes('\0') || !value.isWellFormed())
      throw invalidRequest(`${label(name)} contains a character that is not allowed`)
    seen.add(name)
    if (value !== '') parameters.set(name, value)
  }
  return parameters
}

function* readForm(text: string): Generator<[string, string]> {
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    yield equals < 0
      ? [decodeFormText(pair), '']
      : [decodeFormText(pair.slice(0, equals)), decodeFormText(pair.slice(equals + 1))]
  }
}

/** Strictly decodes a name or value of application/x-www-form-urlencoded. @throws OauthError invalid_request */
export function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidRequest('The parameters are not correctly percent-encoded UTF-8')
  }
}

async function readMultipart(contentType: string, bytes: Buffer): Promise<[string, string][]> {
  // The HTTP layer has limited the header and the body size.
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw invalidRequest('The body is not well-formed multipart/form-data')
    })
  return [...form.entries()].map(([name, value]) => {
    if (typeof value !== 'string') throw invalidRequest('A file is not allowed as a parameter')
    return [name, value]
  })
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalidRequest('The body is not UTF-8')
  }
}
