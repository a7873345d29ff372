import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { jsonContent } from '../api/route-description.ts'
import type { Claims } from '../claims/claims.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Fields } from '../ingest/check.ts'
import { awardFields } from '../ingest/kinds/awards.ts'
import type { Dependencies } from '../services.ts'
import { createAwardQueue } from './award-queue.ts'
import { storeAwards } from './awards.ts'
import { batchKinds } from './batch-kinds.ts'
import { storeItems } from './batches.ts'
import { boundBodies } from './bodies.ts'
import { completionFields, requireQuest, storeCompletions } from './completions.ts'
import { itemsContent } from './item-schema.ts'
import { BATCHES, BODY_LIMIT, JSON_TYPE, MAX_ITEMS, NDJSON_TYPE } from './limits.ts'
import { type RawBody, readItems } from './read-items.ts'
import { referralFields, storeReferrals } from './referrals.ts'
import type { BatchAnswer } from './results.ts'
import { createReversalQueue, reversalFields, storeReversals } from './reversals.ts'
import { ingestRoute } from './route.ts'
import { createSlots } from './slots.ts'

export interface BatchDependencies extends Dependencies {
  metrics: Pick<Metrics, 'ingested' | 'watch'>
  claims: Claims
}

/** The parts of a description that all routes for items have in common. */
const batchOf = (fields: Fields, example: object) =>
  ({
    method: 'POST',
    body: { content: itemsContent(fields, example), bytes: BODY_LIMIT, items: MAX_ITEMS },
    answers: {
      200: {
        description: 'The result of each item, in order. Items with status `applied` are on disk.',
        content: jsonContent({ $ref: '#/components/schemas/BatchAnswer' }),
      },
    },
  }) as const

/** Routes that take items as JSON or NDJSON. Each item is accepted or rejected separately. */
export function registerBatches(scope: FastifyInstance, deps: BatchDependencies): void {
  const { metrics, claims } = deps
  const awards = createAwardQueue(deps)
  metrics.watch({
    name: 'questboard_awards_waiting',
    help: 'Awards that this process has received and not stored yet.',
    read: awards.waiting,
  })
  metrics.watch({
    name: 'questboard_claims_waiting',
    help: 'Claims of quests that this process has accepted and not decided yet.',
    read: claims.waiting,
  })
  const reversals = createReversalQueue(deps)
  const slots = createSlots(BATCHES)
  boundBodies(scope)
  scope.removeAllContentTypeParsers()
  for (const [type, format] of [
    [JSON_TYPE, 'json'],
    [NDJSON_TYPE, 'ndjson'],
  ] as const)
    scope.addContentTypeParser(
      type,
      { parseAs: 'string' },
      async (_request: FastifyRequest, text: string | Buffer) => ({ format, text: String(text) }),
    )
  // Frees the text, which may be megabytes, while the request is processed.
  const itemsOf = (request: FastifyRequest) => {
    const body = request.body as RawBody | undefined
    request.body = undefined
    return readItems(body)
  }
  const counted = (kind: string, answer: BatchAnswer): BatchAnswer => {
    for (const [status, items] of Object.entries(answer.summary)) metrics.ingested(kind, status, items)
    return answer
  }

  ingestRoute(
    scope,
    {
      path: '/awards',
      tag: 'spaces',
      summary: 'Award points',
      description:
        'Adds signed points to the overall board of a space and, when `sprintId` is given, to the board of that sprint. An award counts once per `key`: the same award with the same key is a `duplicate` and changes nothing; a different award with that key fails with `CONFLICT`. Keys belong to the space and are stored for at least 35 days. The points count from `availableAt` to `expiresAt`, if they are given. If you receive no response, send the same batch again.',
      ...batchOf(awardFields, {
        key: 'order-1001',
        spaceId: 900,
        sprintId: 1,
        address: '0x52908400098527886e0f7030069857d2e4169ee7',
        points: 25,
      }),
    },
    async ({ caller, request }) => counted('awards', await storeAwards(awards, caller, itemsOf(request))),
  )

  ingestRoute(
    scope,
    {
      path: '/awards/reversals',
      tag: 'spaces',
      summary: 'Reverse awards',
      description:
        'Takes back the points of awards, imported points and quests with new entries in the ledger. An item names the key of an award, or the id of an entry. An entry is reversed completely and once: a second reversal is a `duplicate` and changes nothing. The keys of reversed awards remain used.',
      ...batchOf(reversalFields, { spaceId: 900, key: 'order-1001', reason: 'The order was cancelled' }),
    },
    async ({ caller, request }) => counted('reversals', await storeReversals(reversals, caller, itemsOf(request))),
  )

  ingestRoute(
    scope,
    {
      path: '/quests/:questId/completions',
      tag: 'quests',
      summary: 'Complete a quest for addresses',
      description:
        'Checks the status, the cap, the time and all credential groups of the quest, and allows one completion per address and account. For an accepted item it stores the participant and awards `loyaltyPoints` to the overall board and the current sprint, in one transaction. The same item with the same key is a `duplicate` and changes nothing. A refused item has a `reason`, and `retry` is true if the same item can be accepted later.',
      params: {
        questId: {
          description: 'The quest.',
          shape: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/),
          example: 'GCgarden01',
        },
      },
      failures: { 403: 'The token may not write the space of this quest.', 404: 'The quest does not exist.' },
      ...batchOf(completionFields, { key: 'completion-1001', address: '0x52908400098527886e0f7030069857d2e4169ee7' }),
    },
    async ({ caller, params: { questId }, request }) => {
      await requireQuest(deps, caller, questId)
      return counted('completions', await storeCompletions(claims, caller, questId, itemsOf(request)))
    },
  )

  ingestRoute(
    scope,
    {
      path: '/referrals',
      tag: 'spaces',
      summary: 'Record who referred a member',
      description:
        'Records the referrer of a member of a space, once, before the first claim of the member. The referrer is another person, and was not referred by the member. The same referral is a `duplicate`. Rules of the kind `referral` give points to the referrer.',
      ...batchOf(referralFields, {
        spaceId: 900,
        address: '0x52908400098527886e0f7030069857d2e4169ee7',
        referrer: '0xde709f2102306220921060314715629080e2fb77',
      }),
    },
    async ({ caller, request }) => counted('referrals', await storeReferrals(deps, caller, itemsOf(request))),
  )

  for (const { path, tag, summary, description, kind, prepare, within, scope: permissionsOf, example } of batchKinds)
    ingestRoute(
      scope,
      { path: `/${path}`, tag, summary, description, ...batchOf(kind.fields, example) },
      ({ caller: { tokenId, scope: allowed }, request }) => {
        const permissions = permissionsOf(allowed)
        // Parse after waiting, because parsed items take far more memory than the text.
        return slots.run(tokenId, async () => {
          const items = itemsOf(request)
          const prepared = prepare ? await prepare(deps.database, items) : (within?.(allowed) ?? kind)
          return counted(path, await storeItems({ ...deps, actor: tokenId }, prepared, permissions, items))
        })
      },
    )
}
