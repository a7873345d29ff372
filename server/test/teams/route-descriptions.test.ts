import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../content/arrange.ts'

interface Team {
  owner: { id: string; username: string } | null
  members: { account: { id: string; username: string }; role: string }[]
  invitations: { id: string; role: string }[]
  standing: string
}
type Role = 'admin' | 'editor' | 'viewer'

let service: ContentService
let owner: Editor
let admin: Editor
beforeAll(async () => {
  service = await startContent()
  await importRecords(service.services, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
})
beforeEach(async () => {
  await service.database.query('DELETE FROM space_members')
  await service.database.query('DELETE FROM space_invitations')
  owner = await service.withRole(40, 'owner')
  admin = await service.withRole(40, 'admin')
})
afterAll(() => service.close())

const TEAM = '/api/spaces/40/team'
const invite = async (who: Editor, role: Role) => {
  const answer = await who.call<{ id: string; url: string }>('POST', `${TEAM}/invitations`, { role })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return { id: answer.body.id, code: new URL(answer.body.url).hash.slice(1) }
}
const accept = async (who: Editor, code: string) =>
  (await who.call<ErrorBody>('POST', '/api/team-invitations/accept', { code })).status
const team = async (who: Editor = owner) => (await who.get<Team>(TEAM)).body
const roleOf = async ({ account }: Editor) =>
  (await team()).members.find((member) => member.account.id === account.id)?.role

describe('an invitation', () => {
  it('gives its role once', async () => {
    const { code } = await invite(admin, 'editor')
    const [first, second] = [await service.someone(), await service.someone()]
    const shown = await first.call('POST', '/api/team-invitations/view', { code })
    expect(shown.body).toMatchObject({ space: { spaceId: 40, name: 'Forty' }, role: 'editor' })
    expect([await accept(first, code), await accept(second, code)]).toEqual([200, 404])
    expect([await roleOf(first), await roleOf(second)]).toEqual(['editor', undefined])
    expect(await service.logOf(first)).toContainEqual({
      event: 'team.joined',
      details: { space: '40', role: 'editor' },
    })
    expect(await service.logOf(admin)).toContainEqual({
      event: 'team.invited',
      details: { space: '40', role: 'editor' },
    })
  })

  it('takes one account when several accept it at once', async () => {
    const { code } = await invite(owner, 'admin')
    const visitors = await Promise.all(Array.from({ length: 5 }, () => service.someone()))
    const statuses = await Promise.all(visitors.map((visitor) => accept(visitor, code)))
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404])
  })

  it('is void when its author may no longer give the role', async () => {
    const { code } = await invite(admin, 'editor')
    await owner.call('PUT', `${TEAM}/${admin.account.id}`, { role: 'viewer' })
    const visitor = await service.someone()
    expect(await accept(visitor, code)).toBe(404)
    await owner.call('PUT', `${TEAM}/${admin.account.id}`, { role: 'admin' })
    expect(await accept(visitor, code)).toBe(200)
  })

  it('is withdrawn by admins, but not one for an admin', async () => {
    const forEditor = await invite(owner, 'editor')
    const forAdmin = await invite(owner, 'admin')
    const withdraw = async (id: string) => (await admin.call('DELETE', `${TEAM}/invitations/${id}`)).status
    expect([await withdraw(forEditor.id), await withdraw(forAdmin.id), await withdraw(forEditor.id)]).toEqual([
      204, 403, 404,
    ])
    expect((await team()).invitations.map(({ id }) => id)).toEqual([forAdmin.id])
    expect(await accept(await service.someone(), forEditor.code)).toBe(404)
  })

  it('raises a role, and never lowers one', async () => {
    const editor = await service.withRole(40, 'editor')
    const lower = await invite(owner, 'viewer')
    expect([await accept(editor, lower.code), await accept(owner, lower.code)]).toEqual([409, 409])
    const higher = await invite(owner, 'admin')
    expect(await accept(editor, higher.code)).toBe(200)
    expect(await roleOf(editor)).toBe('admin')
    expect(await accept(await service.someone(), lower.code)).toBe(200)
  })

  it.each([
    ['owner', [201, 201, 201]],
    ['admin', [403, 201, 201]],
    ['editor', [403, 403, 403]],
    ['viewer', [403, 403, 403]],
  ] as const)('of the roles admin, editor and viewer is possible for the role %s', async (role, statuses) => {
    const who = role === 'owner' ? owner : await service.withRole(40, role)
    const roles: Role[] = ['admin', 'editor', 'viewer']
    const answers = await Promise.all(roles.map((one) => who.call('POST', `${TEAM}/invitations`, { role: one })))
    expect(answers.map(({ status }) => status)).toEqual(statuses)
  })

  it('rejects other roles and other codes', async () => {
    const wrong = await owner.call<ErrorBody>('POST', `${TEAM}/invitations`, { role: 'owner' })
    expect([wrong.status, wrong.body.error.field]).toEqual([400, 'role'])
    expect(await accept(admin, 'qbt_guess')).toBe(404)
    expect((await owner.call('POST', '/api/spaces/999/team/invitations', { role: 'viewer' })).status).toBe(404)
  })
})

describe('the team', () => {
  it('shows its members to all of them, and its invitations to admins', async () => {
    const viewer = await service.withRole(40, 'viewer')
    await invite(owner, 'editor')
    expect(await team(viewer)).toMatchObject({
      owner: { id: owner.account.id },
      members: [{ role: 'admin' }, { account: { id: viewer.account.id }, role: 'viewer' }],
      invitations: [],
      standing: 'viewer',
    })
    expect((await team(admin)).invitations).toHaveLength(1)
    expect((await (await service.someone()).get(TEAM)).status).toBe(403)
    expect((await team(service.operator)).standing).toBe('operator')
  })

  it('lets admins change editors and viewers, and only the owner change admins', async () => {
    const editor = await service.withRole(40, 'editor')
    const set = async (who: Editor, whose: Editor, role: Role) =>
      (await who.call('PUT', `${TEAM}/${whose.account.id}`, { role })).status
    expect(await set(admin, editor, 'viewer')).toBe(204)
    expect(await set(admin, editor, 'admin')).toBe(403)
    expect(await set(admin, admin, 'viewer')).toBe(403)
    expect(await set(editor, editor, 'admin')).toBe(403)
    expect(await set(owner, editor, 'admin')).toBe(204)
    expect(await set(owner, admin, 'editor')).toBe(204)
    expect(await set(owner, await service.someone(), 'editor')).toBe(404)
    expect([await roleOf(editor), await roleOf(admin)]).toEqual(['admin', 'editor'])
    expect(await service.logOf(editor)).toContainEqual({
      event: 'team.role-changed',
      details: { space: '40', role: 'admin', by: 'team' },
    })
  })

  it('loses members who leave or are removed, at their next request', async () => {
    const [editor, viewer] = [await service.withRole(40, 'editor'), await service.withRole(40, 'viewer')]
    const remove = async (who: Editor, whose: Editor) =>
      (await who.call('DELETE', `${TEAM}/${whose.account.id}`)).status
    expect(await remove(viewer, editor)).toBe(403)
    expect(await remove(viewer, viewer)).toBe(204)
    expect((await viewer.get('/api/spaces/40/sprints')).status).toBe(403)
    expect(await remove(editor, admin)).toBe(403)
    expect(await remove(admin, editor)).toBe(204)
    expect((await editor.call('POST', '/api/spaces/40/sprints', { name: 'No' })).status).toBe(403)
    expect(await remove(owner, admin)).toBe(204)
    expect(await remove(owner, admin)).toBe(404)
  })

  it('always keeps its owner', async () => {
    const path = `${TEAM}/${owner.account.id}`
    for (const who of [owner, service.operator]) {
      expect((await who.call<ErrorBody>('DELETE', path)).body.error.code).toBe('owner_stays')
      expect((await who.call<ErrorBody>('PUT', path, { role: 'editor' })).body.error.code).toBe('owner_stays')
    }
    expect((await admin.call('DELETE', path)).status).toBe(409)
  })
})

describe('the ownership', () => {
  const give = async (who: Editor, account: string | null) =>
    who.call<ErrorBody>('PUT', '/api/spaces/40/owner', { account })

  it('goes to a member, and the former owner becomes an admin', async () => {
    expect((await give(admin, admin.account.id)).status).toBe(403)
    expect((await give(owner, admin.account.username)).status).toBe(204)
    expect(await team(admin)).toMatchObject({
      owner: { id: admin.account.id },
      members: [{ account: { id: owner.account.id }, role: 'admin' }],
    })
    expect((await give(owner, owner.account.id)).status).toBe(403)
    expect(await service.logOf(admin)).toContainEqual({ event: 'space.given', details: { space: '40', by: 'team' } })
  })

  it('goes to accounts outside of the team, or to none, only by operators', async () => {
    const someone = await service.someone()
    const refused = await give(owner, someone.account.id)
    expect([refused.status, refused.body.error.field]).toEqual([400, 'account'])
    expect((await give(owner, null)).status).toBe(400)
    expect((await give(service.operator, someone.account.id)).status).toBe(204)
    expect((await give(service.operator, null)).status).toBe(204)
    expect((await team(service.operator)).owner).toBeNull()
    expect((await give(service.operator, 'nobody-at-all')).body.error.field).toBe('account')
  })

  it('ends one of two transfers at the same time', async () => {
    const other = await service.withRole(40, 'admin')
    const answers = await Promise.all([give(owner, admin.account.id), give(owner, other.account.id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 403])
  })
})

it('deletes the roles and invitations of an account with the account', async () => {
  const { code } = await invite(admin, 'viewer')
  expect((await admin.call('DELETE', '/api/account')).status).toBe(204)
  expect((await team()).members).toEqual([])
  expect(await accept(await service.someone(), code)).toBe(404)
  expect((await owner.call('DELETE', '/api/account')).status).toBe(204)
  expect((await team(service.operator)).owner).toBeNull()
})

// The last test, because the sign-ins of the others are then no longer recent.
it('ends an invitation after seven days', async () => {
  const { code } = await invite(owner, 'viewer')
  service.clock.advance(7 * DAY)
  const visitor = await service.someone()
  expect(await accept(visitor, code)).toBe(404)
  expect((await visitor.call('POST', '/api/team-invitations/view', { code })).status).toBe(404)
})
