import type { FastifyInstance } from 'fastify'
import { route } from '../api/route.ts'
import { ApiError, invalidFields } from '../errors.ts'
import type { Services } from '../services.ts'
import { lockOperatorAndSession } from '../sessions/with-account.ts'
import { applyObjects } from './apply.ts'
import { describe } from './describe.ts'
import { readObjects } from './objects.ts'
import { programmeDescriptions } from './route-descriptions.ts'
import { ProgrammeRefusedError } from './problems.ts'
import { bodyAsFile } from './parsed-file.ts'

/** `/api/operator/programme`: exports and applies files that describe spaces and starboards. */
export function registerProgramme(scope: FastifyInstance, services: Services): void {
  route(scope, services, programmeDescriptions.export, async ({ services, query }) => describe(services, query))

  route(
    scope,
    services,
    programmeDescriptions.apply,
    ({ services, query: { diff, prune }, checkRecentSignIn, body: { removals = [], ...file } }) =>
      naming(async () => {
        if (prune && !diff) checkRecentSignIn()
        const applied = await applyObjects(services, readObjects([bodyAsFile(file)]), {
          diff,
          prune,
          ...(!diff && { checkRemovals: (names: readonly string[]) => requireConfirmed(names, removals) }),
          begin: (trx) => lockOperatorAndSession(trx, services.actor),
        })
        return { ...applied, stored: !diff }
      }),
  )
}

/** @throws ApiError unless the caller has confirmed exactly the objects that a removal would delete */
function requireConfirmed(found: readonly string[], confirmed: readonly string[]): void {
  if (new Set(found).symmetricDifference(new Set(confirmed)).size === 0) return
  throw new ApiError(
    'removals_not_confirmed',
    'removals must name exactly the objects that prune removes; nothing was stored',
    { details: { removals: found } },
  )
}

/** Runs work whose problems become fields of the request. */
async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProgrammeRefusedError)) throw error
    const [first, ...more] = error.problems.map(({ path, message }) => ({ field: path, message }))
    throw first ? invalidFields([first, ...more]) : error
  }
}
