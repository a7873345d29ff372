import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import { createServices } from '../../../src/services.ts'
import { ingestToken } from '../../ingest-api/arrange.ts'
import { ask } from '../../support/ask.ts'
import { testClock } from '../../support/clock.ts'
import type { TestDatabase } from '../../support/database.ts'
import {
  ALICE_MAIN,
  BIG_ID,
  HIDDEN,
  HOLDER_OF_BOTH,
  MAIN_QUEST,
  SOLANA_HOLDER,
  startWorld,
  type World,
} from '../../support/fixture.ts'
import { approvedApp } from '../../support/oauth-flow.ts'
import { operationsOf } from './described-requests.ts'
import { createOwner } from './owner.ts'
import type { Target } from './inputs.ts'
import { undescribedOperations } from './undescribed-operations.ts'

/** Requests can set their client address, so that limits by address do not block the inputs. */
export const settings = {
  QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1',
  QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  QUESTBOARD_GITHUB_CLIENT_ID: 'client',
  QUESTBOARD_GITHUB_CLIENT_SECRET: 'secret',
  QUESTBOARD_GITHUB_SITE: 'http://127.0.0.1:9',
  QUESTBOARD_TELEGRAM_BOT_TOKEN: '123456:a-token-of-a-bot',
  // Nothing listens on this port, so sources that point there fail at once.
  QUESTBOARD_OUTGOING_HOSTS: '127.0.0.1:9',
}

/**
 * The fixture's world with the objects that malformed requests need. `at` is the address of the service. A service on
 * `database` has the system clock, so the sign-ins are of now.
 */
export async function startFuzzedWorld(
  database?: TestDatabase,
): Promise<World & { target: (at: string) => Promise<Target> }> {
  const world = await startWorld({
    settings,
    ...(database && { database, clock: testClock(new Date().toISOString()) }),
  })
  return { ...world, target: (at) => targetOf(world, at) }
}

async function targetOf(world: World, at: string): Promise<Target> {
  const { database, deps, personas } = world
  const app = await approvedApp({ services: createServices(deps), database } as Parameters<typeof approvedApp>[0], {
    expiringTokens: true,
    scopes: ['EVMAddress', 'ServiceID', 'Discord', 'Email', 'Twitter', 'openid', 'quests:claim'],
  })
  const started = await fetch(`${at}/api/session`)
  const { csrfToken } = (await started.json()) as { csrfToken: string }
  const cookie = started.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const reader = personas.business
  const writer = await ingestToken(world)
  const documentAt = async (path: string): Promise<unknown> => (await fetch(at + path)).json()
  return {
    schema: buildSchema(readFileSync(join(import.meta.dirname, '../../../../schema.graphql'), 'utf8')),
    known: {
      texts: [
        ...['1', 'onchain', 'unranked', '40', '41', '500', '501', '312969464', BIG_ID, MAIN_QUEST, 'GCprivate1', 'bob'],
        ...['Alice_A', ALICE_MAIN, HIDDEN, HOLDER_OF_BOTH, SOLANA_HOLDER, '', '-1', 'Active', 'Drop', 'blue'],
        ...(await cursors(at, personas.business)),
      ],
      numbers: [0, 1, 2, -1, 40, 41, 42, 43, 50, 1000, 1001, 2147483647, 2147483648, -2147483648, 1.5, 1e15],
    },
    reader,
    writer,
    app,
    session: { cookie, csrf: csrfToken },
    // Before requests that may withdraw the pages of the fixture.
    operations: [
      ...undescribedOperations,
      ...operationsOf(await documentAt('/api/openapi.json')),
      ...operationsOf(await documentAt('/ingest/openapi.json'), 'the ingest API'),
    ],
    owner: await createOwner(world, app, { reader, writer }),
  }
}

async function cursors(url: string, token: string): Promise<string[]> {
  const answer = await ask(
    url,
    `{ a: space(id: 40) { loyaltyPointsRanks(first: 2) { pageInfo { endCursor } } }
       b: space(id: 40) { loyaltyPointsRanks(sprintId: 1, first: 2) { pageInfo { endCursor } } }
       c: starboard(id: 1) { leaderboard(pagination: { forward: { first: 2 } }) { pageInfo { endCursor } } }
       d: quests(input: { first: 2 }) { pageInfo { endCursor } } }`,
    { token },
  )
  return [...answer.text.matchAll(/"endCursor":"([^"]+)"/g)].map(([, cursor]) => cursor as string)
}
