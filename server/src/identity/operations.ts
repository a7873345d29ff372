import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { MINUTE } from '../clock.ts'
import { challengeAnswerShape, kindsShape, mergeShape, sessionShape } from '../api/answer-shapes.ts'
import { ownMergeOffer } from './merge.ts'
import { purposes } from './challenge.queries.ts'
import { challengeShape } from './challenge-shape.ts'
import { nameParameter, readBody } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'

const proofShape = z.looseObject({
  address: z.string().optional(),
  signature: z.unknown().optional(),
  publicKey: z.unknown().optional(),
  credential: z.unknown().optional(),
})

const mergeParams = { id: nameParameter('of the merge', 'Merge') }

const limited = { 429: 'Too many challenges from this network; `Retry-After` says when to retry.' }

/** Sign-in operations of `/api`. */
export const signInOperations = {
  session: {
    method: 'GET',
    path: '/api/session',
    who: 'anyone',
    summary: 'Get the session of this browser',
    description: 'Also sets the cookie and returns the CSRF token that other calls need.',
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
    answer: { description: 'The kinds that are on, what each needs, and why others are off.', shape: kindsShape },
  },
  challenge: {
    method: 'POST',
    path: '/api/challenges',
    who: 'anyone',
    summary: 'Ask for a challenge',
    description: `For kinds that are proved in the browser. It accepts one proof, valid or not, within ${CHALLENGE_LIFETIME / MINUTE} minutes. Purposes \`link\` and \`merge\` require a sign-in within the last hour.`,
    tag: 'Sign-in',
    body: challengeShape,
    answer: { status: 201, description: 'The challenge.', shape: challengeAnswerShape },
    errors: { ...limited, 401: 'Purpose `link` or `merge` without a session.' },
  },
  proof: {
    method: 'POST',
    path: '/api/challenges/:id/proof',
    who: 'anyone',
    summary: 'Answer a challenge: sign in, link, or prove the other account of a merge',
    description: 'The fields of a proof depend on the kind: see docs/identity.md.',
    tag: 'Sign-in',
    params: { id: nameParameter('of the challenge', 'Challenge') },
    // Each kind validates its own proof.
    body: { shape: proofShape, read: (body) => readBody(z.looseObject({}), body) },
    answer: {
      description: 'The current session; after purpose `merge` also what the merge would do.',
      shape: sessionShape.extend({ merge: mergeShape.optional() }),
    },
    errors: {
      401: 'The proof is invalid.',
      409: 'The identity belongs to another account, or another account has signed in since.',
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
    description: 'Moves everything from the account that ends and ends its sessions.',
    tag: 'Sign-in',
    params: mergeParams,
    resource: ownMergeOffer,
    answer: { description: 'The current session.', shape: sessionShape },
    errors: { 409: 'The accounts changed since, or would have too many identities together.' },
  },
  start: {
    method: 'GET',
    path: '/identity/:kind/start',
    head: false,
    who: 'anyone',
    summary: 'Send the browser to another site to sign in or link',
    description:
      'For a browser, not for scripts. A failure goes back to `return` with `identity_error` and `identity_kind`. If a page of another origin starts a sign-in in a signed-in browser, the browser is redirected to `/sign-in`.',
    tag: 'Sign-in',
    params: { kind: 'Discord, Github, Telegram or Twitter' },
    query: {
      purpose: { description: '`sign-in` when left out', shape: z.enum(purposes) },
      return: { description: 'a path of this site; `/` when left out', shape: z.string().max(501) },
    },
    answer: { status: 303, description: 'Redirects to the other site, or back to a page of this site.' },
    errors: { ...limited, 401: 'Purpose `link` without a session.' },
  },
  callback: {
    method: 'GET',
    path: '/identity/:kind/callback',
    head: false,
    who: 'anyone',
    summary: 'Receive the browser from the other site',
    tag: 'Sign-in',
    params: { kind: 'Discord, Github, Telegram or Twitter' },
    query: {
      state: { description: 'of the attempt', shape: z.string() },
      code: { description: 'from the other site', shape: z.string() },
      error: { description: 'from the other site', shape: z.string() },
      iss: { description: 'from the other site (RFC 9207)', shape: z.string() },
    },
    answer: { status: 303, description: 'Redirects to the page where the sign-in started.' },
  },
} as const satisfies Record<string, RouteDescription>
