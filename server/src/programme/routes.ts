import type { FastifyInstance } from 'fastify'
import { isOperator } from '../accounts/account.queries.ts'
import { route } from '../api/route.ts'
import { invalidFields, operatorRequired } from '../errors.ts'
import type { Services } from '../services.ts'
import { lockAsking } from '../sessions/with-account.ts'
import { applyObjects } from './apply.ts'
import { readObjects } from './objects.ts'
import { programmeOperations } from './operations.ts'
import { ProgrammeRefusedError } from './problems.ts'
import { bodyAsFile } from './read-file.ts'

/** `/api/operator/programme` */
export function registerProgramme(scope: FastifyInstance, services: Services): void {
  route(
    scope,
    services,
    programmeOperations.apply,
    ({ services, accountId, query: { diff, prune }, checkRecentSignIn, body }) =>
      naming(async () => {
        if (prune && !diff) checkRecentSignIn()
        const applied = await applyObjects(services, readObjects([bodyAsFile(body)]), {
          diff,
          prune,
          async begin(trx) {
            await lockAsking(trx, accountId, services.asking)
            if (!(await isOperator(trx, accountId))) throw operatorRequired()
          },
        })
        return { ...applied, stored: !diff }
      }),
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
