export interface Difference {
  ours: string
  theirs: string
}

/** Differences to oidc-provider by area and probe. The reasons: docs/decisions/0020-compare-with-oidc-provider.md */
export const differences: Record<string, Difference> = {
  'authorization: redirect_uri: missing': { ours: 'page 400', theirs: 'code' },
  'authorization: redirect_uri: twice': { ours: 'page 400', theirs: 'error invalid_request' },
  'authorization: state: missing': { ours: 'error invalid_request, without state', theirs: 'code, without state' },
  'authorization: state: empty': { ours: 'error invalid_request, without state', theirs: 'code, without state' },
  'authorization: state: twice': { ours: 'page 400', theirs: 'error invalid_request, without state' },
  'authorization: state: with a NUL': { ours: 'page 400', theirs: 'code, without state' },
  'authorization: scope: missing': { ours: 'code', theirs: 'error access_denied' },
  'authorization: scope: unknown': { ours: 'error invalid_scope', theirs: 'code' },
  'authorization: scope: twice': { ours: 'page 400', theirs: 'error invalid_request' },
  'authorization: response_type: missing': { ours: 'code', theirs: 'error invalid_request' },
  'authorization: response_type: token': {
    ours: 'error unsupported_response_type',
    theirs: 'error unsupported_response_type, in the fragment',
  },
  'authorization: response_type: id_token': {
    ours: 'error unsupported_response_type',
    theirs: 'error invalid_request, in the fragment',
  },
  'authorization: response_type: code token': {
    ours: 'error unsupported_response_type',
    theirs: 'error unsupported_response_type, in the fragment',
  },
  'authorization: response_type: none': { ours: 'error unsupported_response_type', theirs: 'error invalid_request' },
  'authorization: response_mode: fragment': { ours: 'error invalid_request', theirs: 'code, in the fragment' },
  'authorization: response_mode: web_message': {
    ours: 'error invalid_request',
    theirs: 'error unsupported_response_mode',
  },
  'authorization: response_mode: jwt': { ours: 'error invalid_request', theirs: 'error unsupported_response_mode' },
  'authorization: code_challenge: plain': { ours: 'code', theirs: 'error invalid_request' },
  'authorization: code_challenge: without a method': { ours: 'code', theirs: 'error invalid_request' },
  'authorization: a parameter with brackets': { ours: 'page 400', theirs: 'code' },
  'authorization: POST: a parameter in the form and in the URL': { ours: 'page 400', theirs: 'code' },
  'authorization: POST: half in the URL': { ours: 'code', theirs: 'error invalid_request' },
  'token: grant_type: missing': { ours: '200 tokens', theirs: '400 invalid_request' },
  'token: redirect_uri: another one, then the right one': {
    ours: '400 invalid_grant, then 400 invalid_grant',
    theirs: '400 invalid_grant, then 200 tokens',
  },
  'token: code_verifier: wrong, then right': {
    ours: '400 invalid_grant, then 400 invalid_grant',
    theirs: '400 invalid_grant, then 200 tokens',
  },
  'token: code_verifier: 42 characters': { ours: '400 invalid_grant', theirs: '400 invalid_request' },
  'token: client authentication: broken Basic': { ours: '401 invalid_client', theirs: '400 invalid_request' },
  'token: body: JSON': { ours: '200 tokens', theirs: '400 invalid_request' },
  'token: body: text': { ours: '415 invalid_request', theirs: '400 invalid_request' },
  'token: body: bad percent-encoding': { ours: '400 invalid_request', theirs: '200 tokens' },
  'token: body: brackets': { ours: '400 invalid_request', theirs: '200 tokens' },
  'token: refresh: the old access token': { ours: '401 invalid_token', theirs: '200 user' },
  'token: refresh: twice': {
    ours: '400 invalid_grant, then 200 user, then 200 tokens',
    theirs: '400 invalid_grant, then 401 invalid_token, then 400 invalid_grant',
  },
  'resource: introspection: a foreign token': { ours: '200 active false', theirs: '200 active true' },
  'resource: revocation: an access token ends alone': {
    ours: '200, then 401 invalid_token, then 200 tokens',
    theirs: '200, then 401 invalid_token, then 400 invalid_grant',
  },
  'resource: revocation: a foreign token': { ours: '200, then 200 user', theirs: '400, then 200 user' },
}
