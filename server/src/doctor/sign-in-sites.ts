import { z } from 'zod'
import { ApiError } from '../errors.ts'
import type { Services } from '../services.ts'
import { codeRequest } from '../identity/social/oauth-client.ts'
import { challengeOf, type RedirectKind } from '../identity/social/redirect-kind.ts'
import { redirectKinds } from '../identity/social/redirect-kinds.ts'
import { telegramWidget } from '../identity/social/telegram-widget.ts'
import { probe, type ProbeOptions } from './probe.ts'
import { type Finding, notSet, ok, problem } from './finding.ts'

/** An invalid code: a token endpoint that accepts our client rejects the code, otherwise it rejects the client. */
const NO_CODE = 'questboard-doctor'
const refusesClient = new Set(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'])
const refusesCode = new Set(['invalid_grant', 'invalid_request', 'bad_verification_code'])
type Upstreams = Pick<Services, 'config' | 'outgoing' | 'log' | 'site'>

const answerShape = z.object({ error: z.string().max(200) })

/** Checks that Discord, GitHub, X and Telegram are reachable and accept the client id and secret. Changes nothing. */
export function examineSignInSites(options: ProbeOptions, services: Upstreams): Promise<Finding>[] {
  return redirectKinds.map((kind) =>
    kind.kind === 'Telegram' && telegramWidget.off?.(services.config) === undefined
      ? examineWidget(options, services)
      : examineSite(options, services, kind),
  )
}

async function examineSite(options: ProbeOptions, services: Upstreams, kind: RedirectKind): Promise<Finding> {
  const { label: name, kind: scope } = kind
  const unset = unsetOf(services, scope)
  if (unset.length > 0) return notSet(name, unset)
  const prefix = `QUESTBOARD_${scope.toUpperCase()}`
  const redirectUri = `${services.site.issuer}/identity/${scope}/callback`
  let redemption
  try {
    redemption = await kind.redemption(services)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { issuer } = services.config.identity.telegram
    return problem(name, 'sign-in.no-provider', { issuer })
  }
  const verifier = challengeOf(NO_CODE)
  const response = await probe(options, codeRequest({ ...redemption, code: NO_CODE, verifier, redirectUri }))
  const host = new URL(redemption.tokenUrl).host
  if ('failed' in response)
    return problem(name, 'sign-in.unreachable', { reason: response.failed, host, settings: `${prefix}_…` })
  const error = answerShape.safeParse(response.json).data?.error
  if (error !== undefined && refusesCode.has(error)) return ok(name, 'sign-in.ok', { host })
  if (error === 'redirect_uri_mismatch') return problem(name, 'sign-in.redirect-uri', { host, uri: redirectUri })
  if (response.status === 401 || (error !== undefined && refusesClient.has(error)))
    return problem(name, 'sign-in.client-refused', { host, prefix })
  const answer = error === undefined ? response.status : `${response.status} ${error}`
  return problem(name, 'sign-in.not-a-token-endpoint', { host, answer, prefix })
}

const unsetOf = ({ config }: Upstreams, kind: RedirectKind['kind']): readonly string[] =>
  new Map<string, readonly string[]>(Object.entries(config.identity.unset)).get(kind.toLowerCase()) ?? []

async function examineWidget(options: ProbeOptions, { config, site }: Upstreams): Promise<Finding> {
  const name = 'Telegram (widget)'
  const { issuer, botToken } = config.identity.telegram
  const query = new URLSearchParams({ bot_id: botToken?.split(':')[0] ?? '', origin: site.origin })
  const response = await probe(options, { url: `${issuer}/auth?${query.toString()}`, headers: { accept: 'text/html' } })
  const host = new URL(issuer).host
  if ('failed' in response)
    return problem(name, 'sign-in.unreachable', {
      reason: response.failed,
      host,
      settings: 'QUESTBOARD_TELEGRAM_ISSUER',
    })
  if (/bot domain invalid/i.test(response.text)) return problem(name, 'widget.domain', { host, domain: site.domain })
  if (response.status !== 200 || /bot_?id|bot invalid/i.test(response.text.slice(0, 200)))
    return problem(name, 'widget.refused', { host, status: response.status })
  return ok(name, 'widget.ok', { host })
}
