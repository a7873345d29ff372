import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { MINUTE } from '../clock.ts'
import { challengeAnswerShape, kindsShape, mergeShape, sessionShape } from '../api/response-shapes.ts'
import { ownMergeOffer } from './merge.ts'
import { purposes } from './challenge.queries.ts'
import { challengeShape } from './challenge-shape.ts'
import { readCallbackQuery } from './social/callback-query.ts'
import { enabledKind } from './social/enabled-kind.ts'
import { readStartQuery, type StartQuery } from './social/start-query.ts'
import { nameParameter, readBody } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'

const proofShape = z.looseObject({
  address: z.string().optional(),
  signature: z.unknown().optional(),
  publicKey: z.unknown().optional(),
  credential: z.unknown().optional(),
})

const mergeParams = { id: nameParameter('of the merge', 'Merge') }

const tooManyChallenges = { 429: 'Too many challenges from this network; `Retry-After` says when to retry.' }

/** Operations for sign-in, linking and merging. */
export const signInDescriptions = {
  session: {
    method: 'GET',
    path: '/api/session',
    who: 'anyone',
    summary: 'Get the session of this browser',
    description:
      'If the browser has no cookie yet, the response sets one. Every call that changes something requires `csrfToken`.',
    tag: 'Sign-in',
    answer: { description: 'The session; `account` is null if the browser is not signed in.', shape: sessionShape },
  },
  signOut: {
    method: 'DELETE',
    path: '/api/session',
    who: 'anyone',
    summary: 'Sign out of this browser',
    tag: 'Sign-in',
    answer: { status: 204, description: 'Signed out.' },
  },
  kinds: {
    method: 'GET',
    path: '/api/identity-kinds',
    who: 'anyone',
    summary: 'List the identity kinds that can sign in',
    tag: 'Sign-in',
    answer: {
      description:
        '`kinds` has the available kinds: `needs` lists the fields that its challenge requires; `start` is the path that redirects to another site. `off` has the other kinds, each with a reason.',
      shape: kindsShape,
    },
  },
  challenge: {
    method: 'POST',
    path: '/api/challenges',
    who: 'anyone',
    summary: 'Ask for a challenge',
    description: `Creates a challenge for an identity that the user proves in the browser. The challenge expires after ${CHALLENGE_LIFETIME / MINUTE} minutes and accepts one proof, even if the proof is invalid. Only \`Email\` accepts further codes after a wrong one. Purposes \`link\` and \`merge\` require a sign-in within the last hour.`,
    tag: 'Sign-in',
    body: challengeShape,
    answer: { status: 201, description: 'The challenge.', shape: challengeAnswerShape },
    errors: { ...tooManyChallenges, 401: 'Purpose `link` or `merge` without a session.' },
  },
  proof: {
    method: 'POST',
    path: '/api/challenges/:id/proof',
    who: 'anyone',
    summary: 'Answer a challenge to sign in, to link an identity, or to start a merge',
    description: 'The fields of a proof depend on the kind: see docs/identity.md.',
    tag: 'Sign-in',
    params: { id: nameParameter('of the challenge', 'Challenge') },
    // Each kind validates its own proof.
    body: { shape: proofShape, read: (body) => readBody(z.looseObject({}), body) },
    answer: {
      description: 'The current session. If the purpose is `merge`, `merge` describes the merge that can be confirmed.',
      shape: sessionShape.extend({ merge: mergeShape.optional() }),
    },
    errors: {
      401: 'The proof is invalid.',
      409: 'The identity belongs to another account, or the session has changed since the challenge was created. docs/identity.md lists the other codes.',
      503: 'A required node or mail server does not respond.',
    },
  },
  viewMerge: {
    method: 'GET',
    path: '/api/merges/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Preview a merge of two accounts',
    tag: 'Sign-in',
    params: mergeParams,
    resource: ownMergeOffer,
    answer: { description: 'The merge.', shape: mergeShape },
  },
  merge: {
    method: 'POST',
    path: '/api/merges/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Merge the two accounts',
    description:
      'Moves everything from the other account to the current account, and deletes the other account. The sessions of both accounts end. This browser gets a new session.',
    tag: 'Sign-in',
    params: mergeParams,
    resource: ownMergeOffer,
    answer: { description: 'The current session.', shape: sessionShape },
    errors: {
      409: 'The proved identity has been removed from the other account, or the merged account would have too many identities.',
    },
  },
  start: {
    method: 'GET',
    path: '/identity/:kind/start',
    head: false,
    who: 'anyone',
    summary: 'Redirect the browser to another site, to sign in, link an identity or start a merge',
    description:
      'This route is for browsers, not for scripts. If the sign-in, link or merge fails, the service redirects to the path in `return`, with the parameters `identity_error` and `identity_kind`. If the browser is signed in and a page of another origin starts a sign-in, the service redirects to `/sign-in`, where the user confirms.',
    tag: 'Sign-in',
    params: { kind: 'Discord, Github, Telegram or Twitter' },
    resource: enabledKind,
    query: {
      purpose: { description: '`sign-in` when left out', shape: z.enum(purposes) },
      return: { description: 'a path of this site; `/` when left out', shape: z.string().max(501) },
    },
    readQuery: readStartQuery,
    // A foreign page must not start a link or merge for its visitor.
    ownPages: {
      only: ({ purpose }: StartQuery) => purpose !== 'sign-in',
      message: 'Linking and merging are started on our own pages',
    },
    answer: { status: 303, description: 'Redirects to the other site, or back to a page of this site.' },
    errors: { ...tooManyChallenges, 401: 'Purpose `link` or `merge` without a session and without `return`.' },
  },
  callback: {
    method: 'GET',
    path: '/identity/:kind/callback',
    head: false,
    who: 'anyone',
    summary: 'Complete a sign-in at another site',
    tag: 'Sign-in',
    params: { kind: 'Discord, Github, Telegram or Twitter' },
    resource: enabledKind,
    query: {
      state: { description: 'the value that `start` sent to the other site', shape: z.string() },
      code: { description: 'from the other site', shape: z.string() },
      error: { description: 'from the other site', shape: z.string() },
      iss: { description: 'from the other site (RFC 9207)', shape: z.string() },
    },
    readQuery: readCallbackQuery,
    answer: { status: 303, description: 'Redirects to the path that was sent as `return`.' },
  },
} as const satisfies Record<string, RouteDescription>
