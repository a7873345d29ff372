import type { ApiAnswer, ApiOperation, ApiParameter } from '../api/openapi-document.ts'
import type { JsonSchema } from '../api/json-schema.ts'
import { allScopes } from '../settings/scopes.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

const text = (description: string): JsonSchema => ({ type: 'string', description })

const query = (name: string, description: string, required = false): ApiParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', maxLength: 4096 },
  required,
})

const answer = (description: string, schema: JsonSchema): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema } },
})

const refusal = (description: string) => answer(description, { $ref: '#/components/schemas/OauthError' })

const object = (properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

const clientFailures = {
  400: refusal('invalid_request: a parameter is missing, repeated, malformed, or in the URL.'),
  401: refusal('invalid_client: unknown app, wrong secret, or app not approved.'),
  415: refusal('invalid_request: another media type.'),
  429: refusal('invalid_request: too many failed authentications; `Retry-After` says when to retry.'),
  503: refusal('temporarily_unavailable'),
}

const tokenFailures = {
  400: refusal('invalid_request: two headers with different tokens, or a token in the URL.'),
  401: refusal('invalid_token: missing, wrong, expired or revoked.'),
  503: refusal('temporarily_unavailable'),
}

const credentials = {
  client_id: text('the client ID; omit it with HTTP Basic'),
  client_secret: text('the client secret; omit it with HTTP Basic, and for an app without a server'),
}

const userKeys = {
  type: 'object',
  description: 'The keys of the scopes, such as EVMAddress or DiscordUserID.',
  additionalProperties: { type: 'string' },
}

const client = ['client']
const bearer = ['accessToken', 'accessTokenHeader']

const userInfo: ApiOperation = {
  summary: 'Get the user (OpenID Connect Core 5.3)',
  tag: 'OAuth',
  answers: {
    200: answer('`sub` and the keys of all granted scopes.', { ...userKeys, required: ['sub'] }),
    ...tokenFailures,
    403: refusal('insufficient_scope: openid was not granted.'),
  },
  security: bearer,
}

const authorizeParameters = [
  query('client_id', 'the client ID of the app', true),
  query('redirect_uri', 'one of the registered ones; docs/oauth.md has the rules', true),
  query('state', 'unguessable; returned byte for byte', true),
  query('scope', `separated by spaces, in upper or lower case: ${allScopes.join(' ')}, or an alias of ServiceID`),
  query('response_type', '`code`'),
  query('response_mode', '`query`'),
  query('code_challenge', 'PKCE'),
  query('code_challenge_method', '`S256` or `plain` (the default); an app without a server needs `S256`'),
  query('nonce', 'returned in the id_token'),
  query('prompt', '`none`, or any of `login`, `consent`, `select_account`'),
  query('max_age', 'maximum age of the sign-in in seconds'),
  query('resource', 'the address of `/mcp` for the scope `mcp` (RFC 8707)'),
  query('id_token_hint', 'an id_token of this app; only its account may allow the request'),
]

const authorizeAnswers = {
  303: { description: 'Redirects to the sign-in pages, or to the app with `code` or `error`, `state` and `iss`.' },
  400: { description: 'A page: the parameters are malformed, or the app or the redirect URI is not valid.' },
  429: { description: 'A page: too many requests from this network.' },
}

const logoutParameters = [
  query('id_token_hint', 'an id_token of the app, also an expired one'),
  query('client_id', 'the client ID of the app; default: the audience of the hint'),
  query('post_logout_redirect_uri', 'a registered one, byte for byte'),
  query('state', 'returned byte for byte'),
]

const logoutAnswers = {
  303: { description: 'Redirects to the post_logout_redirect_uri, or to the sign-out page.' },
  400: { description: 'A page: the hint is not valid, or the app or the address is not registered.' },
  429: { description: 'A page: too many requests from this network.' },
}

/** The OpenAPI operations of docs/oauth.md. */
export const endpointDescriptions = {
  authorize: {
    summary: 'Request authorization (RFC 6749 4.1.1)',
    description: 'For a browser.',
    tag: 'OAuth',
    parameters: authorizeParameters,
    answers: authorizeAnswers,
  },
  authorizeByForm: {
    summary: 'Request authorization with a form',
    description: 'Redirects with 303 to the same request by GET.',
    tag: 'OAuth',
    body: {
      content: {
        [FORM]: {
          schema: object(
            Object.fromEntries(authorizeParameters.map(({ name, description }) => [name, text(description)])),
            ['client_id', 'redirect_uri', 'state'],
          ),
        },
      },
    },
    answers: {
      ...authorizeAnswers,
      413: { description: 'A page: the request is too long.' },
      415: { description: 'A page: the body is not a form.' },
    },
  },
  logout: {
    summary: 'Sign out (OpenID Connect RP-Initiated Logout 1.0)',
    description: 'For a browser. Without the id_token_hint of the user who is signed in, a page asks for confirmation.',
    tag: 'OAuth',
    parameters: logoutParameters,
    answers: logoutAnswers,
  },
  logoutByForm: {
    summary: 'Sign out with a form',
    description: 'Redirects with 303 to the same request by GET.',
    tag: 'OAuth',
    body: {
      content: {
        [FORM]: {
          schema: object(
            Object.fromEntries(logoutParameters.map(({ name, description }) => [name, text(description)])),
            [],
          ),
        },
      },
    },
    answers: {
      ...logoutAnswers,
      413: { description: 'A page: the request is too long.' },
      415: { description: 'A page: the body is not a form.' },
    },
  },
  token: {
    summary: 'Redeem a code, or refresh (RFC 6749 4.1.3 and 6)',
    description:
      'Send the credentials in the body or as HTTP Basic; an app without a server sends only its client_id. JSON and multipart bodies are accepted too.',
    tag: 'OAuth',
    body: {
      content: {
        [FORM]: {
          schema: object(
            {
              ...credentials,
              grant_type: text('`authorization_code` (the default if `code` is present) or `refresh_token`'),
              code: text('the code; it can be used once, within 10 minutes'),
              redirect_uri: text('optional; must equal that of the authorization request'),
              code_verifier: text(
                'if the authorization request had a code_challenge; apps without a server always have one',
              ),
              refresh_token: text('for grant_type refresh_token'),
              scope: text('for grant_type refresh_token: fewer scopes'),
              resource: text('optional; must equal that of the authorization request (RFC 8707)'),
            },
            [],
          ),
        },
      },
    },
    answers: {
      200: answer(
        'The tokens.',
        object(
          {
            access_token: text('`qbu_…`'),
            token_type: { const: 'Bearer' },
            scope: text('what was granted, separated by spaces'),
            expires_in: { type: 'integer', description: 'seconds; only for apps with expiring tokens' },
            refresh_token: text('`qbr_…`; only for apps with expiring tokens'),
            id_token: text('only when openid was granted'),
          },
          ['access_token', 'token_type', 'scope'],
        ),
      ),
      ...clientFailures,
      400: refusal('invalid_request, invalid_grant, invalid_scope, invalid_target or unsupported_grant_type.'),
    },
    security: client,
  },
  introspect: {
    summary: 'Introspect a token of the app (RFC 7662)',
    description: 'Not for apps without a server.',
    tag: 'OAuth',
    body: {
      content: { [FORM]: { schema: object({ ...credentials, token: text('access or refresh token') }, ['token']) } },
    },
    answers: {
      200: answer(
        'For a token of another app, the response is `{"active": false}`. `sub` is present with the scope openid or ServiceID.',
        object(
          {
            active: { type: 'boolean' },
            client_id: { type: 'string' },
            sub: { type: 'string' },
            scope: { type: 'string' },
            token_type: { type: 'string' },
            aud: { type: 'string', description: 'the resource; only for tokens with a resource' },
            iss: { type: 'string' },
            iat: { type: 'integer' },
            exp: { type: 'integer' },
          },
          ['active'],
        ),
      ),
      ...clientFailures,
    },
    security: client,
  },
  revoke: {
    summary: 'Revoke a token (RFC 7009)',
    description:
      'Revokes one access token, or the whole grant of a refresh token. An app without a server sends only its client_id.',
    tag: 'OAuth',
    body: {
      content: { [FORM]: { schema: object({ ...credentials, token: text('access or refresh token') }, ['token']) } },
    },
    answers: { 200: answer('Always `{}`.', { type: 'object', maxProperties: 0 }), ...clientFailures },
    security: client,
  },
  tokenDetail: {
    summary: 'Get the details of an access token',
    tag: 'OAuth',
    answers: {
      200: answer(
        'The token.',
        object(
          {
            client_id: { type: 'string' },
            scope: { type: 'string' },
            expires_at: { type: ['string', 'null'], format: 'date-time', description: 'null: does not expire' },
          },
          ['client_id', 'scope', 'expires_at'],
        ),
      ),
      ...tokenFailures,
    },
    security: bearer,
  },
  userData: {
    summary: 'Get the shared identities',
    tag: 'OAuth',
    parameters: [query('scope', 'separated by spaces; default: all granted scopes')],
    answers: {
      200: answer('Identities that were not granted or are not linked are omitted.', userKeys),
      ...tokenFailures,
      403: refusal('insufficient_scope: no requested scope was granted.'),
    },
    security: bearer,
  },
  claim: {
    summary: 'Complete a quest for the user',
    description:
      'Needs the scope quests:claim. Send a form or JSON. A repeated request with the same key returns the first result; send the key as `key` or in the header Idempotency-Key.',
    tag: 'OAuth',
    parameters: [
      { name: 'questId', in: 'path', description: 'the ID of the quest', schema: { type: 'string' } },
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: '1 to 200 characters',
        schema: { type: 'string', maxLength: 200 },
      },
    ],
    body: {
      required: false,
      content: {
        [FORM]: {
          schema: object(
            {
              address: text(
                'an address that the user shares with the app; default: the first one of the chain of the quest, shared ones first',
              ),
              key: text('1 to 200 characters'),
            },
            [],
          ),
        },
      },
    },
    answers: {
      200: answer(
        'The quest is completed. `duplicate`: an earlier request with the same key; this request changed nothing.',
        object(
          {
            status: { type: 'string', enum: ['applied', 'duplicate'] },
            address: { type: 'string' },
            points: { type: 'integer' },
            sprint_id: { type: ['integer', 'null'], description: 'the sprint whose board also got the points' },
            claimed_at: { type: 'string', format: 'date-time' },
          },
          ['status', 'address', 'points', 'sprint_id', 'claimed_at'],
        ),
      ),
      ...tokenFailures,
      403: refusal('insufficient_scope: quests:claim was not granted. invalid_request: the quest is private.'),
      404: refusal('invalid_request: the quest does not exist, or is not visible.'),
      409: refusal('claim_refused: `refusal` names the rule and the missing conditions.'),
      415: refusal('invalid_request: another media type.'),
      429: refusal('invalid_request: too many claims of this user; `Retry-After` says when to retry.'),
    },
    security: bearer,
  },
  verify: {
    summary: 'Check a condition of a quest for the user',
    description:
      'Needs the scope quests:claim. Queries the source of the credential, unless it was checked in the last 20 seconds, and updates the list of holders by the result. Send a form or JSON.',
    tag: 'OAuth',
    parameters: [{ name: 'questId', in: 'path', description: 'the ID of the quest', schema: { type: 'string' } }],
    body: {
      required: true,
      content: {
        [FORM]: {
          schema: object(
            {
              credential_id: text('the ID of a credential that a condition of the quest uses'),
              address: text(
                'an address that the user shares with the app; default: the first linked one, shared ones first',
              ),
            },
            ['credential_id'],
          ),
        },
      },
    },
    answers: {
      200: answer(
        'The result of the source, at most 20 seconds old.',
        object(
          {
            kind: { type: 'string', description: 'the kind of the identity that was checked' },
            held: { type: ['boolean', 'null'], description: 'null: the source could not decide' },
            checked_at: { type: 'string', format: 'date-time' },
            list_changed: { type: 'boolean', description: 'whether the list of holders changed' },
          },
          ['kind', 'held', 'checked_at', 'list_changed'],
        ),
      ),
      ...tokenFailures,
      403: refusal('insufficient_scope: quests:claim was not granted. invalid_request: the quest is private.'),
      404: refusal('invalid_request: the quest or the condition does not exist, or is not visible.'),
      409: refusal('not_checkable, identity_missing, source_changed: see docs/quests.md.'),
      415: refusal('invalid_request: another media type.'),
      429: refusal('invalid_request: too many checks of this user or source; `Retry-After` says when to retry.'),
      503: refusal('temporarily_unavailable: the source does not respond; `Retry-After` says when to retry.'),
    },
    security: bearer,
  },
  userInfo,
  userInfoByPost: {
    ...userInfo,
    summary: 'Get the user by POST',
    body: {
      required: false,
      content: { [FORM]: { schema: object({ access_token: text('instead of a header') }, []) } },
    },
  },
  logo: {
    summary: 'Get the logo of an app',
    tag: 'Documents',
    parameters: [{ name: 'clientId', in: 'path', description: 'the client ID of the app', schema: { type: 'string' } }],
    answers: {
      200: { description: 'The image.', content: { 'image/*': { schema: { type: 'string', format: 'binary' } } } },
      404: { description: 'The app has no logo.' },
    },
  },
} satisfies Record<string, ApiOperation>
