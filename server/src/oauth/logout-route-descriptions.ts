import { z } from 'zod'
import { accountShape } from '../api/response-shapes.ts'
import type { RouteDescription } from '../api/route-description.ts'

/** The operations of the sign-out page. */
export const logoutDescriptions = {
  view: {
    method: 'GET',
    path: '/api/sign-out',
    who: 'anyone',
    summary: 'View a request of an app to sign out',
    description: 'DELETE /api/session signs out.',
    tag: 'Authorization requests',
    query: {
      client_id: { description: 'the client ID of the app', shape: z.string() },
      post_logout_redirect_uri: { description: 'a registered one of the app', shape: z.string() },
      state: { description: 'is added to the address', shape: z.string() },
    },
    readQuery: (query) =>
      new Map(
        Object.entries(query).flatMap(([name, value]) =>
          typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()
            ? [[name, value] as const]
            : [],
        ),
      ),
    answer: {
      description: 'The content of the sign-out page.',
      shape: z.strictObject({
        app: z
          .strictObject({ clientId: z.string(), name: z.string(), logo: z.string().nullable() })
          .nullable()
          .describe('null if the request names no app'),
        account: accountShape.nullable().describe('null without a session'),
        redirect: z.string().nullable().describe('Where the user returns to after signing out'),
      }),
    },
    errors: { 400: 'The app is not approved, or the address is not registered.' },
  },
} as const satisfies Record<string, RouteDescription>
