import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { starboardNotFound } from '../errors.ts'
import type { LongUploads } from '../http/long-uploads.ts'
import { kinds } from '../ingest/kinds.ts'
import { UPLOAD_TIMEOUT } from '../lifetimes.ts'
import { type RefreshDependencies, type RefreshOutcome, refreshStarboard } from '../ranking/starboards/refresh.ts'
import { permissionDenied } from './ingest-error.ts'
import { REFRESHES } from './limits.ts'
import { ingestRoute } from './route.ts'
import { createSlots } from './slots.ts'

const refreshShape = z.object({
  starboardId: z.string(),
  published: z.boolean().describe('Whether anything changed.'),
  version: z.int().describe('0 if no user was ever ranked.'),
  userCount: z.int(),
})

/** `POST /ingest/v1/starboards/{id}/refresh`. */
export function registerRefresh(scope: FastifyInstance, deps: RefreshDependencies, uploads: LongUploads): void {
  const refresh = createRefreshes(deps)
  ingestRoute(
    scope,
    {
      method: 'POST',
      path: '/starboards/:starboardId/refresh',
      tag: 'starboards',
      summary: 'Rank a starboard now',
      description:
        'New samples are ranked automatically within a few seconds. If nothing changed, no ranking is published.',
      params: {
        starboardId: {
          description: 'The starboard.',
          shape: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/),
          example: 'gardeners',
          read: (text) => {
            if (kinds.starboards.fields.id?.read(text) === undefined) throw starboardNotFound()
            return text
          },
        },
      },
      timeout: UPLOAD_TIMEOUT,
      answers: { 200: { description: 'The current ranking.', shape: refreshShape } },
      failures: {
        400: 'The request needs no body, but has one that is malformed JSON.',
        403: 'The token may not write this starboard.',
        404: 'The starboard does not exist, or its ID is malformed.',
      },
    },
    ({
      caller: {
        tokenId,
        scope: { starboardIds },
      },
      params: { starboardId },
      request,
    }) => {
      if (starboardIds && !starboardIds.includes(starboardId))
        throw permissionDenied(`This token may not write starboard ${starboardId.slice(0, 100)}`, 'starboardId')
      uploads.allow(request.raw)
      return refresh(tokenId, starboardId)
    },
  )
}

/**
 * Refreshes starboards on request with limited concurrency, because each refresh holds a connection. Requests share a
 * refresh that is waiting, but not a running one, which may have missed a sample.
 */
function createRefreshes(deps: RefreshDependencies): (sender: string, starboardId: string) => Promise<RefreshOutcome> {
  const slots = createSlots(REFRESHES)
  const toCome = new Map<string, Promise<RefreshOutcome>>()
  return (sender, starboardId) => {
    const shared = toCome.get(starboardId)
    if (shared) return shared
    let begun = false
    const outcome = slots.run(sender, () => {
      begun = true
      toCome.delete(starboardId)
      return refreshStarboard(deps, starboardId)
    })
    if (begun) return outcome
    toCome.set(starboardId, outcome)
    return outcome.catch((error: unknown) => {
      if (toCome.get(starboardId) === outcome) toCome.delete(starboardId)
      throw error
    })
  }
}
