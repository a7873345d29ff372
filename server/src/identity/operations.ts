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

const limited = { 429: 'Too many challenges from this network; `Retry-After` says when to try again.' }

/** What the routes of `/api` say that are about who is signed in. */
export const signInOperations = {
  session: {
    method: 'GET',
    path: '/api/session',
    who: 'anyone',
    summary: 'Who is signed in in this browser',
    description: 'Also gives the browser the cookie and the CSRF token that other calls need.',
    tag: 'Sign-in',
    answer: { description: 'The session; `account` is null when nobody is signed in.', shape: sessionShape },
  },
  signOut: {
    method: 'DELETE',
    path: '/api/session',
    who: 'anyone',
    summary: 'Sign out here',
    tag: 'Sign-in',
    answer: { status: 204, description: 'Nobody is signed in any more.' },
  },
  kinds: {
    method: 'GET',
    path: '/api/identity-kinds',
    who: 'anyone',
    summary: 'The identity kinds that can sign in here',
    tag: 'Sign-in',
    answer: { description: 'The kinds that are on, what each needs, and why others are off.', shape: kindsShape },
  },
  challenge: {
    method: 'POST',
    path: '/api/challenges',
    who: 'anyone',
    summary: 'Ask for a challenge',
    description: `For kinds that are proved in the browser. It is good for one answer, right or wrong, within ${CHALLENGE_LIFETIME / MINUTE} minutes. Purposes \`link\` and \`merge\` need a sign-in of the last hour.`,
    tag: 'Sign-in',
    body: challengeShape,
    answer: { status: 201, description: 'The challenge.', shape: challengeAnswerShape },
    errors: { ...limited, 401: 'Purpose `link` or `merge`, and nobody is signed in.' },
  },
  proof: {
    method: 'POST',
    path: '/api/challenges/:id/proof',
    who: 'anyone',
    summary: 'Answer a challenge: sign in, link, or prove the other account of a merge',
    description: 'What a proof consists of depends on the kind; docs/identity.md lists it.',
    tag: 'Sign-in',
    params: { id: nameParameter('of the challenge', 'Challenge') },
    // Each kind checks its own proof.
    body: { shape: proofShape, read: (body) => readBody(z.looseObject({}), body) },
    answer: {
      description: 'The session that holds now; after purpose `merge` also what the merge would do.',
      shape: sessionShape.extend({ merge: mergeShape.optional() }),
    },
    errors: {
      401: 'The proof does not prove it.',
      409: 'The identity belongs to another account, or somebody else signed in since.',
      503: 'A node or mail server that has to be asked does not answer.',
    },
  },
  viewMerge: {
    method: 'GET',
    path: '/api/merges/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'What a merge of two accounts would do',
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
    description: 'Everything of the one that ends moves; its sessions end.',
    tag: 'Sign-in',
    params: mergeParams,
    resource: ownMergeOffer,
    answer: { description: 'The session that holds now.', shape: sessionShape },
    errors: { 409: 'The accounts changed since, or would have too many identities together.' },
  },
  start: {
    method: 'GET',
    path: '/identity/:kind/start',
    head: false,
    who: 'anyone',
    summary: 'Send the browser to another site to sign in or link',
    description:
      'For a browser, not for scripts. A failure goes back to `return` with `identity_error` and `identity_kind`. From a page of another origin nothing begins for somebody who is signed in: to sign in, the browser is sent to `/sign-in`.',
    tag: 'Sign-in',
    params: { kind: 'Discord, Github, Telegram or Twitter' },
    query: {
      purpose: { description: '`sign-in` when left out', shape: z.enum(purposes) },
      return: { description: 'a path of this site; `/` when left out', shape: z.string().max(501) },
    },
    answer: { status: 303, description: 'To the other site, or back to a page of ours.' },
    errors: { ...limited, 401: 'Purpose `link`, and nobody is signed in.' },
  },
  callback: {
    method: 'GET',
    path: '/identity/:kind/callback',
    head: false,
    who: 'anyone',
    summary: 'Where the other site sends the browser back to',
    tag: 'Sign-in',
    params: { kind: 'Discord, Github, Telegram or Twitter' },
    query: {
      state: { description: 'of the attempt', shape: z.string() },
      code: { description: 'from the other site', shape: z.string() },
      error: { description: 'from the other site', shape: z.string() },
      iss: { description: 'from the other site (RFC 9207)', shape: z.string() },
    },
    answer: { status: 303, description: 'Back to where the attempt began.' },
  },
} as const satisfies Record<string, RouteDescription>
