import { expect, vi } from 'vitest'
import { setSource } from '../../../src/sync/set-source.ts'
import type { SignedIn } from '../../support/oauth-flow.ts'
import { encodePng } from '../../support/png.ts'
import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

const LOGO = '/api/spaces/40/logo'
const logo = (n: number) => encodePng(16, 16, [n % 256, 90, 90, 255]).toString('base64')

/** The audited operations of the API with which teams edit content. */
export function contentOperations(world: AuditedWorld): Operation[] {
  const { own, about, operator } = auditedRequests(world)

  const sprint = async ({ browser }: SignedIn): Promise<{ path: string; version: string }> => {
    const path = '/api/spaces/40/sprints'
    const made = await browser.call('POST', path, { name: 'Sprint' })
    expect(made.statusCode, made.body).toBe(201)
    const { sprintId, version } = made.json<{ sprintId: number; version: string }>()
    return { path: `${path}/${sprintId}`, version }
  }
  let version = ''
  let counter = 0
  let holder = ''
  const list = { kind: 'CSV', url: 'https://lists.example/holders' }
  const withoutSource = async () => {
    await world.service.database.query('DELETE FROM credential_sources')
    return operator()
  }
  const withSource = async () => {
    await setSource(world.service.deps, '501', list)
    return operator()
  }

  return [
    own('data.created', 'POST', '/api/spaces', { name: 'Created', owner: null }, operator),
    own('data.created', 'POST', '/api/quests', { spaceId: 40, name: 'Quest', type: 'Drop' }, operator),
    own(
      'data.created',
      'POST',
      '/api/operator/programme',
      () => ({ starboards: [{ id: `applied${(counter += 1)}`, name: 'Applied', type: 'TWITTER' }] }),
      operator,
    ),
    about(
      'data.changed',
      'PATCH',
      async (someone) => {
        const made = await sprint(someone)
        ;({ version } = made)
        return made.path
      },
      () => ({ version, name: 'Another name' }),
      operator,
    ),
    // Uses another image each time: the same image would change nothing.
    own('space.logo-changed', 'PUT', LOGO, () => ({ image: logo((counter += 1)) }), operator),
    about(
      'space.logo-removed',
      'DELETE',
      async ({ browser }) => {
        await browser.call('PUT', LOGO, { image: logo((counter += 1)) })
        return LOGO
      },
      undefined,
      operator,
    ),
    own(
      'sync.source-set',
      'PUT',
      '/api/credentials/501/source',
      () => ({ source: list, version: null }),
      withoutSource,
    ),
    own('sync.source-removed', 'DELETE', '/api/credentials/501/source', undefined, withSource),
    about(
      'sync.started',
      'POST',
      async () => {
        await setSource(world.service.deps, '501', { kind: 'CSV', url: `${world.sourceUrl}/list`, format: 'text' })
        return '/api/credentials/501/source/run'
      },
      {},
      operator,
    ),
    {
      ...own(
        'data.imported',
        'POST',
        '/api/credentials/501/holders',
        () => {
          holder = `0x${(counter += 1).toString(16).padStart(40, '0')}`
          return { mode: 'add', text: holder }
        },
        operator,
      ),
      // A client that disconnects before its list was read has changed nothing.
      async isDone() {
        const stored = () =>
          world.service.database.query('SELECT 1 FROM credential_holders WHERE address = $1', [holder])
        const hasArrived = async () => (await stored()).length > 0
        return vi.waitUntil(hasArrived, { timeout: 2_000 }).catch(() => false)
      },
    },
    about('data.deleted', 'DELETE', async (someone) => (await sprint(someone)).path, undefined, operator),
  ]
}
