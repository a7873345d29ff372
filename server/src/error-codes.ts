// The codes of all HTTP errors, with their statuses. docs/errors.md and docs/oauth.md explain them.

/** The GraphQL endpoint. */
export const queryCodes = {
  TOKEN_REQUIRED: { category: 'AUTHENTICATION', status: 401 },
  INVALID_TOKEN: { category: 'AUTHENTICATION', status: 401 },
  QUOTA_EXCEEDED: { category: 'RATE_LIMIT', status: 429 },
  PERMISSION_DENIED: { category: 'AUTHORIZATION', status: 403 },
  NOT_FOUND: { category: 'NOT_FOUND', status: 404 },
  PERSISTED_QUERY_NOT_FOUND: { category: 'NOT_FOUND', status: 404 },
  VERSION_EXPIRED: { category: 'NOT_FOUND', status: 410 },
  INVALID_ARGUMENT: { category: 'VALIDATION', status: 400 },
  COMPLEXITY_LIMIT_EXCEEDED: { category: 'VALIDATION', status: 400 },
  DEPTH_LIMIT_EXCEEDED: { category: 'VALIDATION', status: 400 },
  METHOD_NOT_ALLOWED: { category: 'VALIDATION', status: 405 },
  NOT_ACCEPTABLE: { category: 'VALIDATION', status: 406 },
  TIMEOUT: { category: 'VALIDATION', status: 408 },
  PAYLOAD_TOO_LARGE: { category: 'VALIDATION', status: 413 },
  UNSUPPORTED_MEDIA_TYPE: { category: 'VALIDATION', status: 415 },
  RANGE_NOT_SATISFIABLE: { category: 'VALIDATION', status: 416 },
  EXPECTATION_FAILED: { category: 'VALIDATION', status: 417 },
  HEADERS_TOO_LARGE: { category: 'VALIDATION', status: 431 },
  INTERNAL_ERROR: { category: 'INTERNAL', status: 500 },
  UNAVAILABLE: { category: 'UNAVAILABLE', status: 503 },
  UPSTREAM_UNAVAILABLE: { category: 'UNAVAILABLE', status: 503 },
} as const

export type QueryCode = keyof typeof queryCodes

/** The ingest API. The JSON API has the same codes in lower case. */
export type IngestCode = QueryCode | 'CONFLICT' | 'INSUFFICIENT_STORAGE'

/** The name in the JSON API. */
export const apiCodeOf = <Code extends IngestCode>(code: Code) => code.toLowerCase() as Lowercase<Code>

type QueryStatuses = { [Code in QueryCode as Lowercase<Code>]: (typeof queryCodes)[Code]['status'] }

/** The JSON API: the codes of the GraphQL endpoint in lower case, and its own. */
export const apiCodes = {
  ...(Object.fromEntries(
    Object.entries(queryCodes).map(([code, { status }]) => [code.toLowerCase(), status]),
  ) as QueryStatuses),
  bad_request: 400,
  invalid_address: 400,
  unsupported: 400,
  access_denied: 401,
  address_mismatch: 401,
  bad_signature: 401,
  expired: 401,
  no_attempts_left: 401,
  sign_in_required: 401,
  account_suspended: 403,
  bad_csrf_token: 403,
  foreign_request: 403,
  fresh_sign_in_required: 403,
  authorization_gone: 404,
  challenge_gone: 404,
  account_changed: 409,
  already_banned: 409,
  already_member: 409,
  already_operator: 409,
  already_running: 409,
  already_suspended: 409,
  app_changed: 409,
  app_decided: 409,
  app_not_approved: 409,
  app_without_server: 409,
  attempts_used: 409,
  ban_ended: 409,
  changed_meanwhile: 409,
  claim_refused: 409,
  conflict: 409,
  delivery_under_way: 409,
  id_taken: 409,
  identity_missing: 409,
  identity_taken: 409,
  identity_unknown: 409,
  import_ended: 409,
  in_use: 409,
  last_sign_in_method: 409,
  logs_pending: 409,
  never_counts: 409,
  not_a_quiz: 409,
  not_a_visit_link: 409,
  not_checkable: 409,
  not_checked: 409,
  not_suspended: 409,
  not_undoable: 409,
  nothing_to_run: 409,
  other_chain: 409,
  out_of_range: 409,
  own_account: 409,
  owner_stays: 409,
  owns_apps: 409,
  plan_exists: 409,
  plan_from_settings: 409,
  plan_in_use: 409,
  proof_gone: 409,
  quiz_changed: 409,
  removals_not_confirmed: 409,
  same_account: 409,
  session_changed: 409,
  slug_taken: 409,
  source_changed: 409,
  token_expired: 409,
  token_revoked: 409,
  too_many_events: 409,
  too_many_identities: 409,
  too_many_imports: 409,
  too_many_invitations: 409,
  too_many_listeners: 409,
  too_many_passkeys: 409,
  too_many_tokens: 409,
  too_many_webhooks: 409,
  unreadable_source: 409,
  username_taken: 409,
  webhook_disabled: 409,
  wrong_status: 409,
  too_many_requests: 429,
  source_unavailable: 503,
  insufficient_storage: 507,
} as const

export type ApiCode = keyof typeof apiCodes

export type ConflictCode = { [Code in ApiCode]: (typeof apiCodes)[Code] extends 409 ? Code : never }[ApiCode]

/** The OAuth endpoints. `invalid_request` can have other statuses, such as 405 and 429, for which the RFCs have no code. */
export const oauthCodes = {
  // RFC 6749 5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  // RFC 6749 4.1.2.1
  unsupported_response_type: 400,
  access_denied: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  // RFC 6750 3.1
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 8707 2
  invalid_target: 400,
  // OpenID Connect Core 3.1.2.6
  login_required: 400,
  consent_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  // Quests, as in the JSON API
  claim_refused: apiCodes.claim_refused,
  not_checkable: apiCodes.not_checkable,
  identity_missing: apiCodes.identity_missing,
  source_changed: apiCodes.source_changed,
} as const

export type OauthCode = keyof typeof oauthCodes
