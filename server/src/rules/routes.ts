import type { FastifyInstance } from 'fastify'
import { route } from '../api/route.ts'
import { conflict } from '../errors.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import type { Services } from '../services.ts'
import { withSession } from '../sessions/with-account.ts'
import { requireRight } from '../teams/permissions.ts'
import { ruleDescriptions, rulesSchema } from './rule-route-descriptions.ts'
import { dryRun, replayRules } from './replay.ts'
import { requireRuleSet, setRules } from './rule-sets.ts'
import { listVersions } from './versions.ts'
import type { RuleSet } from './rule-sets.queries.ts'

const MAX_EVENTS = 200_000

/** `/api/spaces/:id/rules…`: rules that give points for events (docs/rules.md). */
export function registerRules(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const schema = JSON.stringify(rulesSchema(), null, 2)

  route(scope, services, ruleDescriptions.schema, ({ reply }) => reply.type('application/schema+json').send(schema))

  route(scope, services, ruleDescriptions.rules, async ({ params: { id }, query: version }) =>
    viewOf(await requireRuleSet(kysely, id, version)),
  )

  route(scope, services, ruleDescriptions.versions, ({ params: { id }, query: before }) =>
    listVersions(kysely, id, before),
  )

  route(scope, services, ruleDescriptions.set, ({ services, session, accountId, network, params: { id }, body }) => {
    const { rules, version: expected } = body
    return withSession(services, session, async (trx) => {
      await requireRight(trx, accountId, id, 'manage')
      return viewOf(await setRules(services, trx, id, rules, { author: { accountId, network }, expected }))
    })
  })

  route(scope, services, ruleDescriptions.dryRun, ({ services, params: { id }, body: { rules, since } }) =>
    dryRun(services, id, rules, { since: timeOf(since), maxEvents: MAX_EVENTS }),
  )

  route(
    scope,
    services,
    ruleDescriptions.replay,
    async ({ services, session, accountId, network, params: { id }, body: { version, since } }) => {
      const { differences, joined } = await withSession(services, session, async (trx) => {
        await requireRight(trx, accountId, id, 'manage')
        const current = await requireRuleSet(trx, id)
        if (current.version !== version)
          throw conflict('changed_meanwhile', `The rules have version ${current.version}, not ${version}`)
        const author = { accountId, network }
        return replayRules(services, trx, id, { since: timeOf(since), maxEvents: MAX_EVENTS, author })
      })
      await updateJoinedProfiles(services, joined)
      return differences
    },
  )
}

const viewOf = ({ spaceId, version, createdAt, createdBy, rules }: RuleSet) => ({
  spaceId,
  version,
  createdAt,
  createdBy,
  rules,
})

const timeOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text))
