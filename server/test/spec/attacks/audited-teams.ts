import { expect } from 'vitest'
import type { SignedIn } from '../../support/oauth-flow.ts'
import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

const TEAM = '/api/spaces/40/team'

/** Changes of the team of space 40. */
export function auditedTeams(world: AuditedWorld): Operation[] {
  const { signedIn, own, about, operator } = auditedRequests(world)

  const invite = async ({ browser }: SignedIn) => {
    const made = await browser.call('POST', `${TEAM}/invitations`, { role: 'viewer' })
    expect(made.statusCode, made.body).toBe(201)
    return made.json<{ id: string; url: string }>()
  }
  const withRole = async (role: 'viewer' | 'owner') => {
    const someone = await signedIn()
    await world.service.database.query(
      role === 'owner'
        ? 'UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40'
        : "INSERT INTO space_members (space_id, account_id, role, added_at) VALUES (40, $1, 'viewer', now())",
      [someone.account.id],
    )
    return someone
  }
  const itself = async ({ account }: SignedIn) => `${TEAM}/${account.id}`
  let code = ''
  let heir = ''

  return [
    own('team.invited', 'POST', `${TEAM}/invitations`, { role: 'editor' }, operator),
    about(
      'team.invitation-withdrawn',
      'DELETE',
      async (someone) => `${TEAM}/invitations/${(await invite(someone)).id}`,
      undefined,
      operator,
    ),
    about(
      'team.joined',
      'POST',
      async () => {
        code = new URL((await invite(await operator())).url).hash.slice(1)
        return '/api/team-invitations/accept'
      },
      () => ({ code }),
    ),
    about('team.role-changed', 'PUT', async () => itself(await withRole('viewer')), { role: 'editor' }, operator),
    about('team.left', 'DELETE', itself, undefined, () => withRole('viewer')),
    {
      ...about(
        'space.given',
        'PUT',
        async () => {
          await withRole('owner')
          heir = (await signedIn()).account.id
          return '/api/spaces/40/owner'
        },
        () => ({ account: heir }),
        operator,
      ),
      events: ['space.given', 'team.role-changed'],
    },
  ]
}
