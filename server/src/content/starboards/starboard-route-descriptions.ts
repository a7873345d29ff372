import { z } from 'zod'
import type { RouteDescription } from '../../api/route-description.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { pageOf, starboardShape } from '../response-shapes.ts'
import { listParameters, readListQuery } from '../records/list-query.ts'
import { changeBody, creationBody } from '../request-shapes.ts'
import { changed, invalid } from '../spaces/space-route-descriptions.ts'
import { requireId } from '../records/store.ts'
import { ownStarboard } from './starboard-rights.ts'

const { starboard } = contentKinds
const tag = 'Content'
const params = { id: { description: 'of the starboard', read: (text: string) => requireId(starboard, text) } }

const pageShape = z.strictObject({
  url: z.string().nullable().describe('null if the starboard has no public page'),
  editable: z.boolean().describe('Whether the account may change it'),
})

export const starboardPageDescriptions = {
  view: {
    method: 'GET',
    path: '/api/starboards/:id/page',
    who: 'account',
    summary: 'Get the public page of a starboard',
    tag,
    params,
    answer: { description: 'The page.', shape: pageShape },
  },
  publish: {
    method: 'PUT',
    path: '/api/starboards/:id/page',
    who: 'account',
    summary: 'Publish the page of a starboard',
    description: 'For operators and the account that owns the starboard.',
    tag,
    params,
    missingRight: 'the account does not own the starboard',
    answer: { description: 'The page.', shape: pageShape },
  },
  unpublish: {
    method: 'DELETE',
    path: '/api/starboards/:id/page',
    who: 'account',
    summary: 'Remove the public page of a starboard',
    description: 'For operators and the account that owns the starboard. The starboard itself does not change.',
    tag,
    params,
    missingRight: 'the account does not own the starboard',
    answer: { status: 204, description: 'The starboard has no public page.' },
  },
} as const satisfies Record<string, RouteDescription>

export const starboardDescriptions = {
  list: {
    method: 'GET',
    path: '/api/starboards',
    who: 'operator',
    summary: 'List starboards for editing',
    tag,
    query: listParameters,
    readQuery: readListQuery,
    answer: { description: 'In the order of ids.', shape: pageOf({}) },
  },
  create: {
    method: 'POST',
    path: '/api/starboards',
    who: 'operator',
    summary: 'Create a starboard',
    tag,
    body: creationBody(starboard),
    answer: { status: 201, description: 'The starboard.', shape: starboardShape },
    errors: { ...invalid, 409: 'A starboard has this id.' },
  },
  view: {
    method: 'GET',
    path: '/api/starboards/:id',
    who: 'account',
    summary: 'Get a starboard for editing',
    description: 'For operators and the account that owns it.',
    tag,
    params,
    resource: ownStarboard,
    missingRight: 'the account does not own the starboard',
    answer: { description: 'The starboard.', shape: starboardShape },
  },
  change: {
    method: 'PATCH',
    path: '/api/starboards/:id',
    who: 'account',
    summary: 'Change a starboard',
    description: 'For operators and the account that owns it. Absent fields keep their value.',
    tag,
    params,
    resource: ownStarboard,
    missingRight: 'the account does not own the starboard',
    body: changeBody(starboard),
    answer: { description: 'The starboard.', shape: starboardShape },
    errors: { ...invalid, ...changed },
  },
  remove: {
    method: 'DELETE',
    path: '/api/starboards/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete a starboard with its users, samples and rankings',
    description: 'For operators and the account that owns it.',
    tag,
    params,
    missingRight: 'the account does not own the starboard',
    answer: { status: 204, description: 'Deleted.' },
  },
} as const satisfies Record<string, RouteDescription>
