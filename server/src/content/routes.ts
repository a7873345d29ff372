import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.ts'
import { registerCredentials } from './credentials.ts'
import { registerPoints } from './points.ts'
import { registerQuests } from './quests.ts'
import { registerSpaceSnapshots } from './snapshots.ts'
import { registerSourceRuns } from './source-runs.ts'
import { registerSources } from './sources.ts'
import { registerSpaces } from './spaces.ts'
import { registerSprints } from './sprints.ts'
import { registerStarboardPage } from './starboard-page.ts'
import { registerStarboards } from './starboards.ts'

/** The JSON API with which teams and operators edit content (docs/content.md). */
export function registerContent(scope: FastifyInstance, services: Services): void {
  registerSpaces(scope, services)
  registerSprints(scope, services)
  registerPoints(scope, services)
  registerSpaceSnapshots(scope, services)
  registerQuests(scope, services)
  registerCredentials(scope, services)
  registerSources(scope, services)
  registerSourceRuns(scope, services)
  registerStarboards(scope, services)
  registerStarboardPage(scope, services)
}
