import { fault } from '../../texts/faults.ts'
import { z } from 'zod'
import { readBody } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { withinLength } from '../../text/characters.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { pageOf, questShape } from '../response-shapes.ts'
import { listParameters, readListQuery, readSpaceParameter, spaceParameter } from '../records/list-query.ts'
import { changeBody, creationBody, documentedField, spaceIdShape } from '../request-shapes.ts'
import { changed, invalid } from '../spaces/space-route-descriptions.ts'
import { requireId } from '../records/store.ts'
import { missingRights } from '../../teams/permissions.ts'
import { editableQuest, questOfTeam } from './quest-rights.ts'

const { quest } = contentKinds
const tag = 'Content'
const MAX_ADDRESS = 320
const ADDRESS_RULE = `must be text of at most ${MAX_ADDRESS} characters`

const params = { id: { description: 'of the quest', read: (text: string) => requireId(quest, text) } }

const previewShape = z.strictObject({
  spaceId: spaceIdShape.describe('The space of the quest; the caller is an editor there'),
  address: z
    .string('must be text')
    .refine((text) => withinLength(text, MAX_ADDRESS), {
      error: ADDRESS_RULE,
      params: fault('too_long', { max: MAX_ADDRESS }),
    })
    .describe('As in credentialGroups(address:) of the query API'),
  credentialGroups: documentedField(quest, 'credentialGroups'),
})

const previewed = z.strictObject({
  credentialGroups: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      conditionRelation: z.string(),
      conditions: z.array(z.strictObject({ expression: z.string(), eligible: z.boolean() })),
      rewards: z.array(
        z.strictObject({
          expression: z.string(),
          eligible: z.boolean(),
          rewardType: z.string(),
          rewardCount: z.int(),
        }),
      ),
    }),
  ),
})

export const questDescriptions = {
  list: {
    method: 'GET',
    path: '/api/quests',
    who: 'account',
    summary: 'List quests for editing, including drafts',
    description: 'Of a space in whose team the account is; operators may list those of all spaces.',
    tag,
    missingRight: missingRights.view,
    query: { ...listParameters, ...spaceParameter },
    readQuery: (query) => ({ ...readListQuery(query), spaceId: readSpaceParameter(query) }),
    answer: {
      description: 'In the order of ids.',
      shape: pageOf(questShape.pick({ status: true, participantsCount: true, isPrivate: true }).shape),
    },
  },
  create: {
    method: 'POST',
    path: '/api/quests',
    who: 'account',
    summary: 'Create a quest',
    description:
      'For editors of its space. Without a status, or with `autoStatus`, the service publishes the quest and moves its status. For a draft, send `status: Draft`. Without an id, the quest gets one.',
    tag,
    missingRight: missingRights.edit,
    body: creationBody(quest),
    answer: { status: 201, description: 'The quest.', shape: questShape },
    errors: { ...invalid, 409: 'A quest has this id.' },
  },
  preview: {
    method: 'POST',
    path: '/api/quests/preview',
    who: 'account',
    summary: 'Evaluate unsaved groups for an address',
    description: 'Responds with what `credentialGroups(address:)` of the query API would return for these groups.',
    tag,
    missingRight: missingRights.edit,
    body: { shape: previewShape, read: (body) => readBody(previewShape, body) },
    answer: { description: 'The groups, evaluated.', shape: previewed },
    errors: { ...invalid, 503: 'The API of a credential does not respond.' },
  },
  view: {
    method: 'GET',
    path: '/api/quests/:id',
    who: 'account',
    summary: 'Get a quest for editing',
    tag,
    params,
    resource: questOfTeam,
    answer: { description: 'The quest.', shape: questShape },
  },
  change: {
    method: 'PATCH',
    path: '/api/quests/:id',
    who: 'account',
    summary: 'Change a quest',
    description:
      'For editors. Absent fields keep their value. A status fixes the quest; `autoStatus: true` publishes a draft and lets the service move the status. `credentialGroups` replaces all groups.',
    tag,
    params,
    // The body can name another space. The right for that space is checked after the body.
    resource: editableQuest,
    missingRight: 'the account may not edit the quest',
    body: changeBody(quest),
    answer: { description: 'The quest.', shape: questShape },
    errors: { ...invalid, ...changed },
  },
  remove: {
    method: 'DELETE',
    path: '/api/quests/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete a quest with its participants',
    description: 'For admins and the owner. Awarded points remain. To hide a quest, set its status to `Deleted`.',
    tag,
    params,
    missingRight: 'the account does not manage the space of the quest',
    answer: { status: 204, description: 'Deleted.' },
  },
} as const satisfies Record<string, RouteDescription>
