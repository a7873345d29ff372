import { fault } from '../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import { findAccountByName } from '../accounts/account.queries.ts'
import { route } from '../api/route.ts'
import { invalidField, notFound } from '../errors.ts'
import { nowOf, type Services } from '../services.ts'
import { withSession } from '../sessions/with-account.ts'
import { listTeamInvitations } from './invitations.queries.ts'
import { acceptTeamInvitation, inviteToTeam, readTeamInvitation, withdrawTeamInvitation } from './invitations.ts'
import { changeRole, removeMember, transferSpace } from './members.ts'
import { listMembers, readNames } from './members.queries.ts'
import { teamDescriptions } from './route-descriptions.ts'
import { mayDo } from './permissions.ts'
import { findSpace } from './roles.queries.ts'

/** `/api/spaces/:id/team…`, `/api/team-invitations…`: the teams of spaces (docs/roles.md). */
export function registerTeams(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, teamDescriptions.list, async ({ params: { id }, resource: standing }) => {
    const [space, members] = await Promise.all([findSpace(kysely, id), listMembers(kysely, id)])
    if (!space) throw notFound('Space')
    const { ownerAccountId } = space
    const ids = members.map((member) => member.accountId)
    const names = await readNames(kysely, ownerAccountId === null ? ids : [...ids, ownerAccountId])
    const account = (of: string) => ({ id: of, username: names.get(of) ?? '' })
    const open = mayDo(standing, 'manage') ? await listTeamInvitations(kysely, id, nowOf(services)) : []
    return {
      owner: ownerAccountId === null ? null : account(ownerAccountId),
      members: members.map(({ accountId: of, role, addedAt }) => ({ account: account(of), role, addedAt })),
      invitations: open.map(({ invitationId, role, createdAt, expiresAt }) => ({
        id: invitationId,
        role,
        createdAt,
        expiresAt,
      })),
      standing,
    }
  })

  route(scope, services, teamDescriptions.invite, async ({ services, session, params: { id }, body: { role } }) => {
    const link = await withSession(services, session, (trx) => inviteToTeam(services, trx, id, role))
    const { invitationId, url, expiresAt } = link
    return { id: invitationId, url, role, expiresAt }
  })

  route(scope, services, teamDescriptions.withdraw, ({ services, session, params: { id, invitation } }) =>
    withSession(services, session, (trx) => withdrawTeamInvitation(services, trx, id, invitation)),
  )

  route(scope, services, teamDescriptions.view, async ({ services, body: { code } }) => {
    const { spaceId, role, expiresAt } = await readTeamInvitation(services, kysely, code)
    const space = await findSpace(kysely, spaceId)
    if (!space) throw notFound('Invitation')
    return { space: { spaceId, name: space.name }, role, expiresAt }
  })

  route(scope, services, teamDescriptions.accept, async ({ services, session, body: { code } }) => {
    const { spaceId, role } = await withSession(services, session, (trx) => acceptTeamInvitation(services, trx, code))
    return { spaceId, role }
  })

  route(scope, services, teamDescriptions.change, ({ services, session, params, body: { role } }) =>
    withSession(services, session, (trx) =>
      changeRole(services, trx, { spaceId: params.id, accountId: params.account, role }),
    ),
  )

  route(scope, services, teamDescriptions.remove, ({ services, session, params }) =>
    withSession(services, session, (trx) =>
      removeMember(services, trx, { spaceId: params.id, accountId: params.account }),
    ),
  )

  route(scope, services, teamDescriptions.transfer, async ({ services, session, params: { id }, body }) => {
    const wanted = body.account === null ? null : (await findAccountByName(kysely, body.account.trim()))?.id
    if (wanted === undefined)
      throw invalidField('account', 'must be the username or id of an account', fault('unknown_account'))
    await withSession(services, session, (trx) => transferSpace(services, trx, { spaceId: id, accountId: wanted }))
  })
}
