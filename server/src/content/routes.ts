import type { FastifyInstance } from 'fastify'
import type { Renderer } from '../images/renderer.ts'
import type { Services } from '../services.ts'
import { registerCredentials } from './credentials/credentials.ts'
import { registerHolders } from './holders/holders.ts'
import { registerPoints } from './spaces/points.ts'
import { registerParticipants } from './quests/participants.ts'
import { registerQuests } from './quests/quests.ts'
import { registerSpaceSnapshots } from './spaces/snapshots.ts'
import { registerSourceRuns } from './sources/source-runs.ts'
import { registerSources } from './sources/sources.ts'
import { registerSpaceLogo } from './spaces/logo.ts'
import { registerSpaces } from './spaces/spaces.ts'
import { registerSprints } from './spaces/sprints.ts'
import { registerStarboardPage } from './starboards/starboard-page.ts'
import { registerStarboards } from './starboards/starboards.ts'

/**
 * The JSON API with which teams and operators edit content (docs/content.md).
 * @param renderer draws uploaded logos
 */
export function registerContent(scope: FastifyInstance, services: Services, renderer: Renderer): void {
  registerSpaces(scope, services)
  registerSpaceLogo(scope, services, renderer)
  registerSprints(scope, services)
  registerPoints(scope, services)
  registerSpaceSnapshots(scope, services)
  registerQuests(scope, services)
  registerParticipants(scope, services)
  registerCredentials(scope, services)
  registerHolders(scope, services)
  registerSources(scope, services)
  registerSourceRuns(scope, services)
  registerStarboards(scope, services)
  registerStarboardPage(scope, services)
}
