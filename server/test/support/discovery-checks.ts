import { importJWK, type JWK } from 'jose'

// The checks of the module oidcc-discovery-endpoint-verification. Each returns the faults that it found.

type Metadata = Record<string, unknown>

const WELL_KNOWN = '/.well-known/openid-configuration'
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const REQUIRED_URLS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const MIN_RSA_BYTES = 256

/** The values that the lists of the metadata must contain. */
const REQUIRED_VALUES = {
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  grant_types_supported: ['authorization_code'],
  scopes_supported: ['openid'],
  claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce'],
  code_challenge_methods_supported: ['S256'],
} as const

/** The values that the lists of the metadata can contain. */
const KNOWN_VALUES: Record<string, RegExp> = {
  subject_types_supported: /^(public|pairwise)$/,
  id_token_signing_alg_values_supported: /^(RS|PS|ES)(256|384|512)$/,
  response_types_supported: /^(code|token|id_token|none)( (code|token|id_token))*$/,
  // RFC 6749, 3.3
  scopes_supported: /^[\x21\x23-\x5b\x5d-\x7e]+$/,
  ui_locales_supported: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/,
  claims_locales_supported: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/,
}

const BOOLEANS = /^(request|request_uri|claims)_parameter_supported$|^require_|^backchannel_logout/

/** The faults of the metadata document that was read at this address. */
export function metadataFaults(address: string, metadata: Metadata): string[] {
  const issuer = String(metadata.issuer)
  return [
    ...fault(address === issuer + WELL_KNOWN, `issuer ${issuer} is not the one of ${address}`),
    ...urlFaults('issuer', issuer),
    ...fault(!/[?#]/.test(issuer), 'issuer has a query or a fragment'),
    ...REQUIRED_URLS.flatMap((name) => fault(name in metadata, `${name} is missing`)),
    ...Object.keys(metadata)
      .filter((name) => /_endpoint$|_uri$/.test(name))
      .flatMap((name) => endpointFaults(name, metadata[name], issuer)),
    ...Object.keys(metadata)
      .filter((name) => name.endsWith('_supported'))
      .flatMap((name) => supportedFaults(name, metadata[name])),
    ...Object.entries(REQUIRED_VALUES).flatMap(([name, values]) => missingFaults(name, metadata[name], values)),
  ]
}

/** The faults of the document at `jwks_uri`. */
export async function keyFaults({ keys }: { keys?: JWK[] }): Promise<string[]> {
  if (!Array.isArray(keys) || keys.length === 0) return ['jwks: no keys']
  const ids = keys.map(({ kid }) => kid)
  const each = await Promise.all(keys.map((key, n) => faultsOfKey(key, `keys.${n}`)))
  return [...fault(new Set(ids).size === ids.length, 'jwks: two keys have one kid'), ...each.flat()]
}

async function faultsOfKey(key: JWK, path: string): Promise<string[]> {
  const isImported = await importJWK(key, 'RS256').then(
    () => true,
    () => false,
  )
  return [
    ...fault(isImported, `${path} is no valid key`),
    ...fault(key.kty === 'RSA' && key.alg === 'RS256' && key.use === 'sig', `${path} does not sign with RS256`),
    ...fault(typeof key.kid === 'string' && key.kid !== '', `${path} has no kid`),
    ...fault(Buffer.from(key.n ?? '', 'base64url').length >= MIN_RSA_BYTES, `${path} is shorter than 2048 bits`),
    ...PRIVATE_MEMBERS.flatMap((name) => fault(!(name in key), `${path} has the private member ${name}`)),
  ]
}

const fault = (holds: boolean, message: string) => (holds ? [] : [message])

function urlFaults(name: string, value: unknown): string[] {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined) return [`${name} is no absolute URL`]
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))
  return [...fault(isSafe, `${name} needs https`), ...fault(url.hash === '', `${name} has a fragment`)]
}

const endpointFaults = (name: string, value: unknown, issuer: string) => [
  ...urlFaults(name, value),
  ...fault(String(value).startsWith(`${issuer}/`), `${name} is not under the issuer`),
]

function supportedFaults(name: string, value: unknown): string[] {
  if (typeof value === 'boolean') return fault(!(name in REQUIRED_VALUES), `${name} is no list`)
  if (BOOLEANS.test(name)) return [`${name} is no boolean`]
  if (!Array.isArray(value) || value.length === 0) return [`${name} is no list with values`]
  const known = KNOWN_VALUES[name] ?? /./
  return [
    ...fault(new Set(value).size === value.length, `${name} has a value twice`),
    ...value.flatMap((each) => fault(typeof each === 'string' && known.test(each), `${name} has ${String(each)}`)),
  ]
}

const missingFaults = (name: string, list: unknown, values: readonly string[]) =>
  values.flatMap((value) => fault(Array.isArray(list) && list.includes(value), `${name} lacks ${value}`))
