/** A probe whose outcome differs from oidc-provider. */
export interface Difference {
  /**
   * `code` and `error …` are redirects to the app, and `page …` is a page with this status. `then` joins the responses
   * to successive requests. `user` is the data of the user, and `tokens` a new pair of tokens.
   */
  ours: string
  theirs: string
  /**
   * "The specification" is server/test/spec/rules.ts. "Existing clients" were written for it and must work without
   * changes. An attack is a test of server/test/spec/attacks.
   */
  reason: string
}

const DOUBLED = 'Two parsers may read a doubled parameter differently. Such a request never redirects (attack 5)'
const FRAGMENT =
  'The reference puts the error where a token would have been. This service never uses the fragment (attack 9)'
const BRACKETS =
  'The reference ignores it. A parser that builds lists from brackets would read the same request differently (attack 64)'
const RESPONSE_MODE = 'The reference has an error code for it. RFC 6749 4.1.2.1 has `invalid_request`'

/** The differences by area and probe, see docs/decisions/0020-compare-with-oidc-provider.md. */
export const differences: Record<string, Difference> = {
  'authorization: redirect_uri: missing': {
    ours: 'page 400',
    theirs: 'code',
    reason:
      'The reference uses the only registered URI. The specification (4.5) requires the parameter, and RFC 9700 4.1.3 an exact comparison',
  },
  'authorization: redirect_uri: twice': { ours: 'page 400', theirs: 'error invalid_request', reason: DOUBLED },
  'authorization: state: missing': {
    ours: 'error invalid_request, without state',
    theirs: 'code, without state',
    reason: 'The specification (4.5) requires `state` (attack 10)',
  },
  'authorization: state: empty': {
    ours: 'error invalid_request, without state',
    theirs: 'code, without state',
    reason: 'RFC 6749 3.1: an empty parameter counts as missing, and `state` is required',
  },
  'authorization: state: twice': { ours: 'page 400', theirs: 'error invalid_request, without state', reason: DOUBLED },
  'authorization: state: with a NUL': {
    ours: 'page 400',
    theirs: 'code, without state',
    reason:
      'The reference redirects without `state`. This service rejects text that cannot be stored or shown, and does not redirect (attack 63)',
  },
  'authorization: scope: missing': {
    ours: 'code',
    theirs: 'error access_denied',
    reason:
      'An empty scope is valid and means the scopes granted before. The reference has nothing to grant and reports that',
  },
  'authorization: scope: unknown': {
    ours: 'error invalid_scope',
    theirs: 'code',
    reason: 'The reference drops unknown scopes. Requested scopes are never changed silently (attack 15)',
  },
  'authorization: scope: twice': { ours: 'page 400', theirs: 'error invalid_request', reason: DOUBLED },
  'authorization: response_type: missing': {
    ours: 'code',
    theirs: 'error invalid_request',
    reason: 'Existing clients send none, and `code` is the only type',
  },
  'authorization: response_type: token': {
    ours: 'error unsupported_response_type',
    theirs: 'error unsupported_response_type, in the fragment',
    reason: FRAGMENT,
  },
  'authorization: response_type: id_token': {
    ours: 'error unsupported_response_type',
    theirs: 'error invalid_request, in the fragment',
    reason: FRAGMENT,
  },
  'authorization: response_type: code token': {
    ours: 'error unsupported_response_type',
    theirs: 'error unsupported_response_type, in the fragment',
    reason: FRAGMENT,
  },
  'authorization: response_type: none': {
    ours: 'error unsupported_response_type',
    theirs: 'error invalid_request',
    reason:
      'The reference supports the type `none`, but rejects this request for another reason. This service does not support the type',
  },
  'authorization: response_mode: fragment': {
    ours: 'error invalid_request',
    theirs: 'code, in the fragment',
    reason: 'A code is sent in the query only (attack 9)',
  },
  'authorization: response_mode: web_message': {
    ours: 'error invalid_request',
    theirs: 'error unsupported_response_mode',
    reason: RESPONSE_MODE,
  },
  'authorization: response_mode: jwt': {
    ours: 'error invalid_request',
    theirs: 'error unsupported_response_mode',
    reason: RESPONSE_MODE,
  },
  'authorization: code_challenge: plain': {
    ours: 'code',
    theirs: 'error invalid_request',
    reason: 'The specification (4.5) includes `plain`. An app can forbid it ("S256 only")',
  },
  'authorization: code_challenge: without a method': {
    ours: 'code',
    theirs: 'error invalid_request',
    reason: 'RFC 7636 4.3: a missing method means `plain`',
  },
  'authorization: a parameter with brackets': { ours: 'page 400', theirs: 'code', reason: BRACKETS },
  'authorization: POST: a parameter in the form and in the URL': {
    ours: 'page 400',
    theirs: 'code',
    reason: 'The reference reads only the form. Here form and URL are one request, and a doubled parameter is rejected',
  },
  'authorization: POST: half in the URL': {
    ours: 'code',
    theirs: 'error invalid_request',
    reason: 'RFC 6749 3.1: the query of the endpoint URL is kept, so both parts are one request',
  },
  'token: grant_type: missing': {
    ours: '200 tokens',
    theirs: '400 invalid_request',
    reason: 'Existing clients send none with a code',
  },
  'token: redirect_uri: another one, then the right one': {
    ours: '400 invalid_grant, then 400 invalid_grant',
    theirs: '400 invalid_grant, then 200 tokens',
    reason: 'A code with a wrong redirect URI is consumed, because its sender may have stolen it',
  },
  'token: code_verifier: wrong, then right': {
    ours: '400 invalid_grant, then 400 invalid_grant',
    theirs: '400 invalid_grant, then 200 tokens',
    reason: 'A failed attempt consumes the code, so that the verifier cannot be guessed (attack 21)',
  },
  'token: code_verifier: 42 characters': {
    ours: '400 invalid_grant',
    theirs: '400 invalid_request',
    reason:
      'The reference checks the format of the verifier before the code. Here all failed redemptions of a code have the same response',
  },
  'token: client authentication: broken Basic': {
    ours: '401 invalid_client',
    theirs: '400 invalid_request',
    reason: 'RFC 6749 5.2: failed authentication is `invalid_client`, with 401 if the header was used',
  },
  'token: body: JSON': {
    ours: '200 tokens',
    theirs: '400 invalid_request',
    reason: 'Existing clients send JSON, so it is accepted and parsed strictly',
  },
  'token: body: text': {
    ours: '415 invalid_request',
    theirs: '400 invalid_request',
    reason: 'The same rejection, with a status that names the cause',
  },
  'token: body: bad percent-encoding': {
    ours: '400 invalid_request',
    theirs: '200 tokens',
    reason: 'The reference skips malformed input. A request must have one reading only (attack 64)',
  },
  'token: body: brackets': { ours: '400 invalid_request', theirs: '200 tokens', reason: BRACKETS },
  'token: refresh: the old access token': {
    ours: '401 invalid_token',
    theirs: '200 user',
    reason: 'A refresh ends the old pair of tokens',
  },
  'token: refresh: twice': {
    ours: '400 invalid_grant, then 200 user, then 200 tokens',
    theirs: '400 invalid_grant, then 401 invalid_token, then 400 invalid_grant',
    reason:
      'After a successful refresh, these are the responses to the old refresh token, the new access token and the new refresh token. Within 10 seconds, the reuse of the old one is rejected but the grant stays, because the first response may be lost. Later, the reuse ends the grant (attack 45)',
  },
  'resource: introspection: a foreign token': {
    ours: '200 active false',
    theirs: '200 active true',
    reason:
      'RFC 7662 4: apps learn nothing about tokens of other apps (attack 54). The reference can be configured to do the same',
  },
  'resource: revocation: an access token ends alone': {
    ours: '200, then 401 invalid_token, then 200 tokens',
    theirs: '200, then 401 invalid_token, then 400 invalid_grant',
    reason:
      'RFC 7009 2.1 allows either. Here, revoking an access token ends only this token; revoking the refresh token ends the grant and all its tokens',
  },
  'resource: revocation: a foreign token': {
    ours: '200, then 200 user',
    theirs: '400, then 200 user',
    reason:
      'RFC 7009 2.2 for unknown tokens: 200 without an effect. The response does not reveal that the token exists (attack 55)',
  },
}
