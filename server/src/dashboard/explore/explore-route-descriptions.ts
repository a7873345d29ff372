import { fault, wrongFormat, unknownReference } from '../../texts/faults.ts'
import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { time } from '../../api/response-shapes.ts'
import { SLUG } from '../../public-pages/slug.ts'
import { effectiveRoleShape, managedSpace, missingRights } from '../../teams/permissions.ts'
import type { EntryKind } from './explore.queries.ts'
import { invalidField, notFound, unknownPage } from '../../errors.ts'
import { readTextParameter } from '../../api/read-body.ts'
import type { RequestBody, RouteDescription } from '../../api/route-description.ts'

const MAX_SEARCH = 100
const MAX_ID = 2_147_483_647
const MAX_ADDRESS = 90

export const entryKinds: readonly EntryKind[] = ['spaces', 'starboards', 'credentials']

export function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_ID) throw notFound('Space')
  return Number(text)
}

/** @returns 0 for the overall board */
function readSprintId(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'string' || !/^[1-9]\d{0,9}$/.test(value) || Number(value) > MAX_ID)
    throw noSprint(typeof value === 'string' ? value : '')
  return Number(value)
}

export const noSprint = (id: string | number) =>
  invalidField('sprintId', 'must be the number of a sprint of the space', unknownReference(id))

function readKind(text: string): EntryKind {
  const kind = entryKinds.find((known) => known === text)
  if (!kind) throw notFound('Kind')
  return kind
}

const positions: Record<EntryKind, RegExp> = {
  spaces: /^[1-9]\d{0,9}$/,
  starboards: /^[A-Za-z0-9_-]{1,100}$/,
  credentials: /^\d{1,20}$/,
}

/** Reads the query of a list. The position of its page is an id of the kind. */
function readSearchQuery({ search, after }: Record<string, unknown>, { kind }: { kind: EntryKind }) {
  if (after !== undefined && (typeof after !== 'string' || !positions[kind].test(after))) throw unknownPage('after')
  return { search: readTextParameter('search', search, 0, MAX_SEARCH).trim(), after }
}

const MAX_LOGOS = 50
const MAX_ID_DIGITS = 10

function readSpaceIds({ spaces }: Record<string, unknown>): { spaces: number[] } {
  const text = readTextParameter('spaces', spaces, 1, MAX_LOGOS * (MAX_ID_DIGITS + 1))
  const ids = text.split(',').map((id) => (/^[1-9]\d{0,9}$/.test(id) ? Number(id) : NaN))
  if (ids.length > MAX_LOGOS || !ids.every((id) => id <= MAX_ID))
    throw invalidField(
      'spaces',
      `must be 1 to ${MAX_LOGOS} IDs of spaces with commas between them`,
      fault('wrong_count', { min: 1, max: MAX_LOGOS }),
    )
  return { spaces: ids }
}

const publicStatus = z.enum(['Active', 'NotStarted', 'CapReached', 'Expired'])

function readQuestSearch({ search, status }: Record<string, unknown>) {
  const text = typeof search === 'string' ? search.trim() : search
  const wanted = publicStatus.optional().safeParse(status)
  if (!wanted.success) {
    const allowed = publicStatus.options
    throw invalidField('status', `must be one of ${allowed.join(', ')}`, fault('not_one_of', { allowed }))
  }
  return { search: readTextParameter('search', text, 1, MAX_SEARCH), status: wanted.data }
}

const SLUG_RULE = 'must be 1 to 40 characters of a-z, 0-9 and -, without - at the ends'

const pageView = z.strictObject({
  slug: z.string().nullable().describe('The page is at /s/{slug}; null if the space has no public page'),
  url: z.string().nullable(),
  editable: z.boolean().describe('Whether the account may publish and remove the page'),
  standing: effectiveRoleShape.nullable(),
  embedOrigins: z
    .array(z.string())
    .nullable()
    .describe('Origins whose pages may show the board in a frame; null allows all origins, and an empty list none'),
})

const MAX_ORIGINS = 20
/** URLs accept further characters, which separate directives and sources of a Content-Security-Policy. */
const HOST = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/
const ORIGIN_RULE = 'must be an origin such as https://example.com'
const origin = z
  .string()
  .max(200)
  .transform((text, context) => {
    const url = URL.parse(text.trim())
    if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && HOST.test(url.hostname))
      return url.origin
    context.addIssue({ code: 'custom', message: ORIGIN_RULE, params: wrongFormat('origin') })
    return z.NEVER
  })

const tag = 'Explore'
const entry = z.strictObject({ id: z.string(), name: z.string() })
const entries = z.array(entry)
const withLogo = entry.extend({
  logo: z.string().nullable().describe('The path of the logo; null without a logo or without a public page'),
})

const listedEntry = z.union([
  withLogo.extend({
    members: z.int().describe('On the overall board'),
    openQuests: z.int().describe('Public quests with the status Active'),
  }),
  entry.extend({ projectName: z.string(), users: z.int().describe('In the current ranking') }),
  entry.extend({ holders: z.int(), space: withLogo.nullable().describe('The curator') }),
])

/** The query path reads and validates the body as bytes, as for POST /query. The handler receives none. */
const graphqlRequest: RequestBody<undefined> = {
  shape: z.looseObject({ query: z.string(), variables: z.looseObject({}).optional() }),
  read: () => undefined,
}

export const exploreDescriptions = {
  query: {
    method: 'POST',
    path: '/api/query',
    who: 'account',
    summary: 'Run a GraphQL query as the signed-in account',
    description:
      'Responds like POST /query with a token of the account that can read all areas. The query counts against the limits of the plan “free” of the account, not against its tokens.',
    tag,
    body: graphqlRequest,
    answer: { description: 'The response of POST /query.', shape: z.looseObject({ data: z.unknown() }) },
    errors: { 429: 'The limits of the plan are used up.' },
  },
  list: {
    method: 'GET',
    path: '/api/explore',
    who: 'account',
    summary: 'List the spaces, starboards and credentials of the account',
    description: '`complete` is false if the lists are truncated.',
    tag,
    answer: {
      description: 'In the order of ids.',
      shape: z.strictObject({ spaces: entries, starboards: entries, credentials: entries, complete: z.boolean() }),
    },
  },
  search: {
    method: 'GET',
    path: '/api/explore/:kind',
    who: 'account',
    summary: 'List all spaces, starboards or credentials',
    tag,
    params: { kind: { description: 'spaces, starboards or credentials', read: readKind } },
    query: {
      search: { description: 'beginnings of words of the name, ignoring case', shape: z.string() },
      after: { description: 'the `next` of the previous page', shape: z.string() },
    },
    readQuery: readSearchQuery,
    answer: {
      description: 'At most 50, in the order of ids.',
      shape: z.strictObject({
        list: z.array(listedEntry),
        next: z.string().nullable().describe('The `after` of the next page'),
      }),
    },
    errors: { 404: 'The kind does not exist.' },
  },
  quests: {
    method: 'GET',
    path: '/api/explore/quests',
    who: 'account',
    summary: 'Search quests',
    description: 'Public quests, and those of spaces in whose team the account is.',
    tag,
    query: {
      search: {
        description: 'beginnings of words of the name, ignoring case, or an id',
        shape: z.string(),
        required: true,
      },
      status: { description: 'only quests with this status', shape: publicStatus },
    },
    readQuery: readQuestSearch,
    answer: {
      description: 'At most 50: the quest with this id, then those with the shortest names.',
      shape: z.strictObject({
        list: z.array(
          z.strictObject({
            id: z.string(),
            name: z.string(),
            status: z.string(),
            loyaltyPoints: z.int(),
            participantsCount: z.int(),
            endTime: time.nullable(),
            space: z.strictObject({ id: z.string(), name: z.string() }),
          }),
        ),
        complete: z.boolean().describe('false if more quests match'),
      }),
    },
    errors: { 429: 'The account has sent too many searches.' },
  },
  logos: {
    method: 'GET',
    path: '/api/explore/logos',
    who: 'account',
    summary: 'Get the logos of spaces',
    tag,
    query: {
      spaces: {
        description: `1 to ${MAX_LOGOS} IDs of spaces with commas between them`,
        shape: z.string(),
        required: true,
      },
    },
    readQuery: readSpaceIds,
    answer: {
      description: 'Only spaces with a logo and a public page.',
      shape: z.strictObject({ logos: z.record(z.string(), z.string()).describe('The path of the logo, by space ID') }),
    },
  },
  sprints: {
    method: 'GET',
    path: '/api/explore/spaces/:id/sprints',
    who: 'account',
    summary: 'List the sprints of a space',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    answer: {
      description: 'Newest first.',
      shape: z.strictObject({
        sprints: z.array(
          z.strictObject({
            sprintId: z.int(),
            name: z.string(),
            startTime: time.nullable(),
            endTime: time.nullable(),
          }),
        ),
      }),
    },
  },
  page: {
    method: 'GET',
    path: '/api/explore/spaces/:id/page',
    who: 'account',
    summary: 'Get the public page of a space',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    answer: {
      description: 'The page, and the role of the account in the space; null if it has none.',
      shape: pageView,
    },
  },
  publish: {
    method: 'PUT',
    path: '/api/explore/spaces/:id/page',
    who: 'account',
    summary: 'Publish the page of a space, or change its address',
    description: 'For admins and the owner of the space, and for operators.',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: z.strictObject({ slug: z.string().regex(pattern('slug', SLUG), SLUG_RULE) }),
    answer: { description: 'The page.', shape: pageView },
    errors: { 409: 'Another space has this slug.' },
  },
  embeds: {
    method: 'PUT',
    path: '/api/explore/spaces/:id/page/embeds',
    who: 'account',
    summary: 'Choose the sites that may show the board of a space in a frame',
    description:
      'For admins and the owner of the space, and for operators. Badges are images, which every site can show.',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: z.strictObject({
      origins: z
        .array(origin)
        .max(MAX_ORIGINS)
        .nullable()
        .describe(`At most ${MAX_ORIGINS} origins; null allows all origins, and an empty list none`),
    }),
    answer: { description: 'The page.', shape: pageView },
    errors: { 404: 'The space has no public page.' },
  },
  unpublish: {
    method: 'DELETE',
    path: '/api/explore/spaces/:id/page',
    who: 'account',
    summary: 'Remove the public page of a space',
    description: 'For admins and the owner of the space, and for operators. The space itself does not change.',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    missingRight: missingRights.manage,
    answer: { status: 204, description: 'The space has no public page.' },
  },
  ranks: {
    method: 'GET',
    path: '/api/explore/spaces/:id/ranks',
    who: 'account',
    summary: 'Get the daily ranks of a board member',
    description: 'The ranks at the beginning of each UTC day. Only the first places are recorded.',
    tag,
    params: { id: { description: 'of the space', read: readSpaceId } },
    query: {
      address: { description: 'of the member, in canonical form', shape: z.string(), required: true },
      sprintId: { description: 'the sprint of the board; default: the overall board', shape: z.int().min(1) },
    },
    readQuery: ({ address, sprintId }) => ({
      address: readTextParameter('address', address, 1, MAX_ADDRESS),
      sprintId: readSprintId(sprintId),
    }),
    answer: {
      description: 'Oldest first; empty for members outside the first places.',
      shape: z.strictObject({
        days: z.array(z.strictObject({ day: z.iso.date(), rank: z.int(), points: z.int() })),
        places: z.int().describe('The number of recorded places'),
      }),
    },
  },
} as const satisfies Record<string, RouteDescription>
