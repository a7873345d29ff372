import { z } from 'zod'
import { accountShape, time } from '../api/answer-shapes.ts'
import { nameParameter } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { decisionShape } from './consent.ts'

const params = { id: nameParameter('of the request, from the address of the page', 'Authorization request') }
const gone = 'The request was answered, is over, or was made in another browser.'

const viewShape = z.strictObject({
  app: z.strictObject({
    clientId: z.string(),
    name: z.string(),
    homepage: z.string(),
    logo: z.string().nullable(),
    returnsTo: z.string().describe('Host of the address that the user returns to'),
  }),
  scopes: z.array(
    z.strictObject({
      scope: z.string(),
      identities: z.array(z.strictObject({ subject: z.string(), username: z.string().nullable() })),
      picked: z.string().nullable().describe('Subject that is shared unless another one is chosen'),
      missing: z.boolean().describe('The account has no identity of this kind'),
      link: z
        .array(z.strictObject({ way: z.string(), start: z.string().optional() }))
        .describe('How a missing one is linked: at `start`, or by a challenge'),
    }),
  ),
  otherAccountExpected: z.boolean(),
  account: accountShape.nullable().describe('null: sign in first'),
  chooseAccount: z.boolean(),
  expiresAt: time,
})

/** The two calls behind the consent page. */
export const authorizationOperations = {
  view: {
    method: 'GET',
    path: '/api/authorizations/:id',
    who: 'anyone',
    summary: 'What an app asks for',
    tag: 'Authorization requests',
    params,
    answer: { description: 'What the consent page shows.', shape: viewShape },
    errors: { 404: gone },
  },
  decide: {
    method: 'POST',
    path: '/api/authorizations/:id',
    who: 'anyone',
    summary: 'Allow or refuse it',
    tag: 'Authorization requests',
    params,
    body: decisionShape,
    answer: {
      description: 'Where the browser goes: back to the app.',
      shape: z.strictObject({ redirect: z.string() }),
    },
    errors: {
      401: 'Allowing needs a sign-in, perhaps a new one.',
      404: gone,
      409: 'Another account than `account` is signed in.',
    },
  },
} as const satisfies Record<string, RouteDescription>
