import { z } from 'zod'
import { accountShape, time } from '../api/response-shapes.ts'
import { nameParameter } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { decisionShape, pendingAuthorization } from './consent.ts'

const params = { id: nameParameter('of the request, from the URL of the page', 'Authorization request') }
const gone = 'The request was decided, has expired, or was made in another browser.'

const viewShape = z.strictObject({
  app: z.strictObject({
    clientId: z.string(),
    name: z.string(),
    homepage: z.string(),
    logo: z.string().nullable(),
    returnsTo: z.string().describe('Host of the address that the user returns to'),
    publisher: z
      .string()
      .nullable()
      .describe('Host of the client ID metadata document of a client that no operator reviewed; null for other apps'),
  }),
  scopes: z.array(
    z.strictObject({
      scope: z.string(),
      identities: z.array(z.strictObject({ subject: z.string(), username: z.string().nullable() })),
      picked: z.string().nullable().describe('Subject that is shared by default'),
      missing: z.boolean().describe('The account has no identity of this kind'),
      link: z
        .array(z.strictObject({ way: z.string(), start: z.string().optional() }))
        .describe('How to link a missing identity: at `start`, or by a challenge'),
    }),
  ),
  otherAccountExpected: z.boolean().describe('Whether the app expects an account other than that of the session'),
  account: accountShape.nullable().describe('null if the user must sign in first'),
  chooseAccount: z.boolean(),
  expiresAt: time,
})

/** The operations of the consent page. */
export const authorizationDescriptions = {
  view: {
    method: 'GET',
    path: '/api/authorizations/:id',
    who: 'anyone',
    summary: 'View an authorization request',
    tag: 'Authorization requests',
    params,
    resource: pendingAuthorization,
    answer: { description: 'The content of the consent page.', shape: viewShape },
    errors: { 404: gone },
  },
  decide: {
    method: 'POST',
    path: '/api/authorizations/:id',
    who: 'anyone',
    summary: 'Allow or refuse an authorization request',
    tag: 'Authorization requests',
    params,
    resource: pendingAuthorization,
    body: decisionShape,
    answer: {
      description: 'The URL of the app to navigate to.',
      shape: z.strictObject({ redirect: z.string() }),
    },
    errors: {
      401: 'Allowing requires a sign-in, sometimes a new one.',
      404: gone,
      409: 'The session belongs to an account other than `account`.',
    },
  },
} as const satisfies Record<string, RouteDescription>
