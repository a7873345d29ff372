import { pattern } from '../text/fault-of-issue.ts'
import { fault, wrongFormat } from '../texts/faults.ts'
import { z } from 'zod'
import { characters } from '../text/characters.ts'
import { invalidField } from '../errors.ts'
import { imageType } from '../images/image-type.ts'
import { checkTarget } from '../outgoing/check-target.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { AllowedHost } from '../settings/hosts.ts'
import { originFault } from '../text/origins.ts'
import { hasOriginOf, redirectUriFault } from './redirect-uri.ts'
import { subjectTypes } from './app.queries.ts'
import { allScopes, findScope } from '../settings/scopes.ts'

const MAX_LIST = 20
const MAX_URI = 1000
const MAX_LOGO_BYTES = 65_536

// Letters, marks and digits of any script, spaces and common punctuation. Excluded, because they can imitate another name:
// control, format and private-use characters, invisible letters, and more than two marks on a letter.
export const appName = characters(1, 80, z.string().trim())
  .regex(
    pattern('app_name', /^[\p{L}\p{M}\p{N} .,:;!?&'’()+\-–/_|#@*]+$/u),
    "may have letters, digits, spaces and . , : ; ! ? & ' ( ) + - / _ | # @ *",
  )
  .regex(pattern('visible_text', /^\P{Default_Ignorable_Code_Point}+$/u), 'must not have invisible characters')
  .refine((text) => !/\p{M}{3}/u.test(text.normalize('NFD')), {
    error: 'may have at most 2 marks on a letter',
    params: wrongFormat('visible_text'),
  })
  .regex(pattern('letter_or_digit', /[\p{L}\p{N}]/u), 'must have a letter or a digit')
  .meta({ minLength: 1, maxLength: 80 })

const homepage = z
  .string()
  .max(500)
  .refine((text) => text === '' || URL.parse(text)?.protocol === 'https:', {
    error: 'must be an https URL',
    params: wrongFormat('https_url'),
  })

const list = z.array(z.string().max(MAX_URI)).max(MAX_LIST)

const fields = {
  name: appName,
  homepage,
  purpose: characters(1, 2_000, z.string().trim()),
  redirectUris: list.min(1),
  scopes: z.array(z.string().max(40)).max(allScopes.length),
  allowedOrigins: list,
  postLogoutRedirectUris: list.describe('Where users may return to after signing out, at origins of the redirect URIs'),
  backchannelLogoutUri: z
    .string()
    .max(MAX_URI)
    .nullable()
    .describe(
      'Receives a logout token when a session of a user ends (OpenID Connect Back-Channel Logout); null: the app gets no logout tokens',
    ),
  expiringTokens: z.boolean(),
  s256Only: z.boolean().describe('Require PKCE with S256; false also accepts sign-ins without PKCE'),
  publicClient: z.boolean().describe('The app has no server and no secret; it needs s256Only and expiringTokens'),
  subjectType: z
    .enum(subjectTypes)
    .describe(
      'pairwise: `sub` of a user differs from that for apps at other hosts; all redirectUris have one https host',
    ),
}

export const applicationShape = z.strictObject({
  ...fields,
  homepage: homepage.default(''),
  allowedOrigins: list.default([]),
  postLogoutRedirectUris: fields.postLogoutRedirectUris.default([]),
  backchannelLogoutUri: fields.backchannelLogoutUri.default(null),
  expiringTokens: z.boolean().default(false),
  s256Only: fields.s256Only.default(true),
  publicClient: fields.publicClient.default(false),
  subjectType: fields.subjectType.default('public'),
})

export const changesShape = z.strictObject(fields).partial()

export type AppForm = z.infer<typeof applicationShape>
export type AppFormChanges = z.infer<typeof changesShape>

/** @throws ApiError that names the field */
export function checkApplication(form: AppForm, aliases: readonly string[]): AppForm {
  checkLists(form)
  checkKind(form)
  checkSector(form)
  checkPostLogout(form.postLogoutRedirectUris, form.redirectUris)
  return { ...form, scopes: namedScopes(form.scopes, aliases) }
}

/** @throws ApiError that names the field */
export function checkAppChanges(changes: AppFormChanges, aliases: readonly string[]): AppFormChanges {
  checkLists(changes)
  return changes.scopes ? { ...changes, scopes: namedScopes(changes.scopes, aliases) } : changes
}

/**
 * Without a secret, PKCE protects the codes, and an expiry limits the damage of a token that leaks from a device
 * (RFC 9700 2.1.1, 2.2.2). Logout tokens need a server. @throws ApiError that names the field
 */
export function checkKind(
  form: Pick<AppForm, 'publicClient' | 's256Only' | 'expiringTokens' | 'backchannelLogoutUri'>,
): void {
  if (!form.publicClient) return
  if (!form.s256Only)
    throw invalidField(
      's256Only',
      'must be true for an app without a server (publicClient)',
      fault('fixed_without_server'),
    )
  if (!form.expiringTokens)
    throw invalidField(
      'expiringTokens',
      'must be true for an app without a server (publicClient)',
      fault('fixed_without_server'),
    )
  if (form.backchannelLogoutUri !== null)
    throw invalidField(
      'backchannelLogoutUri',
      'must be null for an app without a server (publicClient)',
      fault('needs_server'),
    )
}

/**
 * All hosts of an app learn the same subjects, so all must belong to one party (OpenID Connect Core 8.1).
 * @param approved the host that an operator approved
 * @throws ApiError that names the field
 */
export function checkSector(
  { subjectType, redirectUris }: Pick<AppForm, 'subjectType' | 'redirectUris'>,
  approved?: string,
): void {
  if (subjectType !== 'pairwise') return
  const sector = approved ?? URL.parse(redirectUris.find(isHttps) ?? '')?.hostname
  const place = redirectUris.findIndex((uri) => !isHttps(uri) || URL.parse(uri)?.hostname !== sector)
  if (place < 0) return
  const allowed = sector === undefined ? 'an https URL' : `an https URL at the host ${sector}`
  throw invalidField(
    `redirectUris.${place}`,
    `must be ${allowed}, because all redirect URIs of an app with pairwise user IDs have one host`,
    sector === undefined ? wrongFormat('https_url') : fault('other_host', { host: sector }),
  )
}

const isHttps = (uri: string) => uri.startsWith('https:')

/** @throws ApiError that names the field */
export function checkPostLogout(uris: readonly string[], redirectUris: readonly string[]): void {
  uris.forEach((uri, n) => {
    if (!hasOriginOf(redirectUris, uri))
      throw invalidField(
        `postLogoutRedirectUris.${n}`,
        'must have scheme, host and port of one of the redirect URIs',
        fault('other_origin'),
      )
  })
}

/** Operators approve this address, so it can be at a host of QUESTBOARD_WEBHOOK_HOSTS. @throws ApiError that names the field */
export function checkLogoutUri(uri: string | null | undefined, hosts: readonly AllowedHost[]): void {
  const field = 'backchannelLogoutUri'
  if (uri === null || uri === undefined) return
  if (uri.includes('#')) throw invalidField(field, 'must not have a fragment', wrongFormat('no_fragment'))
  try {
    const { url, configured } = checkTarget(uri, hosts, 'QUESTBOARD_WEBHOOK_HOSTS, which operators do')
    if (url.href !== uri)
      throw invalidField(field, `must be spelled as ${url.href}`, fault('other_spelling', { normal: url.href }))
    if (url.protocol !== 'https:' && !configured)
      throw invalidField(
        field,
        'must be an https URL; http only to hosts of QUESTBOARD_WEBHOOK_HOSTS',
        wrongFormat('https_url'),
      )
  } catch (error) {
    if (error instanceof OutgoingError) throw invalidField(field, `cannot be used: ${error.message}`, error.fault)
    throw error
  }
}

function checkLists({ allowedOrigins, ...lists }: AppFormChanges): void {
  for (const field of ['redirectUris', 'postLogoutRedirectUris'] as const)
    lists[field]?.forEach((uri, n) => {
      const reason = redirectUriFault(uri)
      if (reason !== undefined) throw invalidField(`${field}.${n}`, reason, wrongFormat('redirect_uri'))
    })
  allowedOrigins?.forEach((origin, n) => {
    const reason = originFault(origin)
    if (reason !== undefined) throw invalidField(`allowedOrigins.${n}`, reason, wrongFormat('origin'))
  })
}

function namedScopes(names: readonly string[], aliases: readonly string[]): string[] {
  const scopes = names.map((name, n) => {
    const scope = findScope(name, aliases)
    if (scope === undefined)
      throw invalidField(
        `scopes.${n}`,
        `must be one of: ${[...allScopes, ...aliases].join(' ')}`,
        fault('not_one_of', { allowed: [...allScopes, ...aliases] }),
      )
    return scope
  })
  return [...new Set(scopes)]
}

/** This service stores and serves logos, so that pages load nothing from other servers. @throws ApiError */
export function readLogo(base64: string): { type: string; bytes: Buffer } {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length > MAX_LOGO_BYTES)
    throw invalidField(
      'logo',
      `must be base64 of at most ${MAX_LOGO_BYTES} bytes`,
      fault('image_too_large', { bytes: MAX_LOGO_BYTES }),
    )
  const type = imageType(bytes)
  if (type === undefined) throw invalidField('logo', 'must be a PNG, JPEG or WebP image', wrongFormat('image'))
  return { type, bytes }
}
