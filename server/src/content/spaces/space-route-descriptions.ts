import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import type { RouteDescription } from '../../api/route-description.ts'
import { SLUG, SLUG_RULE } from '../../public-pages/slug.ts'
import { imageUploadShape } from '../../images/uploaded-image.ts'
import { contentKinds } from '../records/content-kinds.ts'
import {
  editableSpace,
  effectiveRoleShape,
  managedSpace,
  missingRights,
  visibleSpace,
} from '../../teams/permissions.ts'
import { pageOf, spaceShape, sprintShape } from '../response-shapes.ts'
import { listParameters, readListQuery } from '../records/list-query.ts'
import { changeBody, creationBody } from '../request-shapes.ts'
import { requireId } from '../records/store.ts'

const { space, sprint } = contentKinds
const tag = 'Content'

export const spaceId = { description: 'of the space', read: (text: string) => requireId(space, text).spaceId ?? 0 }
const id = spaceId
const ids = { id, sprintId: { description: 'number of the sprint', read: readSprintId } }

/** @throws ApiError not_found */
function readSprintId(text: string): number {
  return requireId(sprint, `1-${text}`).sprintId ?? 0
}

const slug = z.string(SLUG_RULE).regex(pattern('slug', SLUG), SLUG_RULE).nullable()
const more = { slug: slug.describe('Publishes the page /s/{slug}; null removes it').optional() }

export const invalid = { 400: 'A field is invalid: `field` has its path, and `problems` lists all.' }
export const changed = { 409: 'Another request has changed the object since `version`.' }

export const spaceDescriptions = {
  list: {
    method: 'GET',
    path: '/api/spaces',
    who: 'account',
    summary: 'List the spaces in whose team the account is',
    description: 'Operators see all spaces.',
    tag,
    query: listParameters,
    readQuery: readListQuery,
    answer: {
      description: 'In the order of ids.',
      shape: pageOf({
        standing: effectiveRoleShape,
        slug: spaceShape.shape.slug,
        logo: spaceShape.shape.logo,
        members: z.int().describe('The number of members on the overall leaderboard'),
        quests: z.int().describe('The number of quests, including drafts and private ones'),
      }),
    },
  },
  create: {
    method: 'POST',
    path: '/api/spaces',
    who: 'operator',
    summary: 'Create a space',
    tag,
    body: creationBody(space, {
      ...more,
      owner: z
        .string()
        .max(200)
        .nullable()
        .describe('The username or id of the owner; default: the account of the request; null for no owner')
        .optional(),
    }),
    answer: { status: 201, description: 'The space.', shape: spaceShape },
    errors: { ...invalid, 409: 'A space has this id, or another space has the slug.' },
  },
  view: {
    method: 'GET',
    path: '/api/spaces/:id',
    who: 'account',
    summary: 'Get a space for editing',
    tag,
    params: { id },
    resource: visibleSpace,
    missingRight: missingRights.view,
    answer: { description: 'The space.', shape: spaceShape },
  },
  change: {
    method: 'PATCH',
    path: '/api/spaces/:id',
    who: 'account',
    summary: 'Change a space',
    description: 'For admins and the owner. Absent fields keep their value; null sets the default.',
    tag,
    params: { id },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: changeBody(space, more),
    answer: { description: 'The space.', shape: spaceShape },
    errors: { ...invalid, 409: 'Another request has changed the space, or another space has the slug.' },
  },
  logo: {
    method: 'GET',
    path: '/api/spaces/:id/logo',
    who: 'account',
    summary: 'Get the logo of a space',
    description: 'For its team. The public page shows it to everyone.',
    tag,
    params: { id },
    resource: visibleSpace,
    missingRight: missingRights.view,
    query: { v: { description: 'ignored; a new value bypasses the browser cache', shape: z.string() } },
    answer: {
      description: 'The image.',
      content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
    },
    errors: { 404: 'The space does not exist, or it has no logo.' },
  },
  uploadLogo: {
    method: 'PUT',
    path: '/api/spaces/:id/logo',
    who: 'account',
    summary: 'Upload the logo of a space',
    description: 'For admins and the owner. Stores the middle of the image as a square PNG without its metadata.',
    tag,
    params: { id },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: imageUploadShape,
    answer: { description: 'The logo.', shape: spaceShape.pick({ logo: true }) },
    errors: { ...invalid, 429: 'The account has uploaded too many images within an hour.' },
  },
  removeLogo: {
    method: 'DELETE',
    path: '/api/spaces/:id/logo',
    who: 'account',
    summary: 'Remove the logo of a space',
    description: 'For admins and the owner.',
    tag,
    params: { id },
    missingRight: missingRights.manage,
    answer: { status: 204, description: 'The space has no logo.' },
  },
  remove: {
    method: 'DELETE',
    path: '/api/spaces/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete a space with its boards, sprints and quests',
    description: 'For the owner.',
    tag,
    params: { id },
    missingRight: missingRights.own,
    answer: { status: 204, description: 'Deleted.' },
  },
} as const satisfies Record<string, RouteDescription>

export const sprintDescriptions = {
  list: {
    method: 'GET',
    path: '/api/spaces/:id/sprints',
    who: 'account',
    summary: 'List the sprints of a space for editing',
    tag,
    params: { id },
    resource: visibleSpace,
    missingRight: missingRights.view,
    answer: {
      description: 'In the order of ids.',
      shape: z.strictObject({
        sprints: z.array(sprintShape),
        running: z.int().nullable().describe('The sprint for which completed quests count now; null if no sprint runs'),
      }),
    },
  },
  create: {
    method: 'POST',
    path: '/api/spaces/:id/sprints',
    who: 'account',
    summary: 'Create a sprint',
    description: 'For editors.',
    tag,
    params: { id },
    resource: editableSpace,
    missingRight: missingRights.edit,
    body: creationBody(sprint, {}, ['spaceId']),
    answer: { status: 201, description: 'The sprint.', shape: sprintShape },
    errors: { ...invalid, 409: 'The space has a sprint with this id.' },
  },
  view: {
    method: 'GET',
    path: '/api/spaces/:id/sprints/:sprintId',
    who: 'account',
    summary: 'Get a sprint for editing',
    tag,
    params: ids,
    resource: visibleSpace,
    missingRight: missingRights.view,
    answer: { description: 'The sprint.', shape: sprintShape },
  },
  change: {
    method: 'PATCH',
    path: '/api/spaces/:id/sprints/:sprintId',
    who: 'account',
    summary: 'Change a sprint',
    description: 'For editors.',
    tag,
    params: ids,
    resource: editableSpace,
    missingRight: missingRights.edit,
    body: changeBody(sprint),
    answer: { description: 'The sprint.', shape: sprintShape },
    errors: { ...invalid, ...changed },
  },
  remove: {
    method: 'DELETE',
    path: '/api/spaces/:id/sprints/:sprintId',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete a sprint with its board',
    description: 'For admins and the owner. The overall board of the space does not change.',
    tag,
    params: ids,
    missingRight: missingRights.manage,
    answer: { status: 204, description: 'Deleted.' },
  },
} as const satisfies Record<string, RouteDescription>
