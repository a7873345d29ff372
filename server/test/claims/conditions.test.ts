import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { setSource } from '../../src/sync/set-source.ts'
import { startService } from '../support/service.ts'
import { type Answer, startUpstream } from '../support/upstream.ts'
import { address, claimsFixture, QUEST } from './arrange.ts'

let answer: Answer
const upstream = await startUpstream((request, response) => answer(request, response))
const service = await startService({ settings: { QUESTBOARD_OUTGOING_HOSTS: upstream.host } })
const { database, deps } = service
const { reset, quest, credential, group, link, claim, reasonOf } = await claimsFixture(service)
beforeEach(reset)
afterAll(async () => {
  await service.stop()
  await upstream.close()
})

test('requires that every group is met, and names the missing conditions', async () => {
  await credential('1', [address(1), address(2)])
  await credential('2', [address(1)])
  await quest({ credentialGroups: [group('ALL', '1', '2'), group('ANY', '1', '2')] })
  expect(await reasonOf(1)).toBe('applied')
  expect((await claim(2)).error).toEqual({
    code: 'CONFLICT',
    reason: 'CONDITION_NOT_MET',
    rule: 'conditions',
    retry: true,
    message: 'The condition "Hold 2" of the group "Group ALL" is not met',
    conditions: [{ groupId: 'g-ALL', group: 'Group ALL', expression: 'Hold 2', credentialId: '2', state: 'not-met' }],
  })
  expect((await claim(3)).error?.conditions).toHaveLength(4)
})

test('counts the linked identities of the address', async () => {
  await credential('1', ['rose_garden'], { credType: 'TWITTER' })
  await quest({ credentialGroups: [group('ALL', '1')] })
  expect(await reasonOf(1)).toBe('CONDITION_NOT_MET')
  await link(deps.random.uuid(), [
    [address(1), 'EVMAddress'],
    ['rose_garden', 'Twitter'],
  ])
  expect(await reasonOf(1)).toBe('applied')
})

test('does not decide while a list is being synchronized', async () => {
  await credential('1', [address(1)])
  await credential('2', [])
  await quest({ credentialGroups: [group('ALL', '1')] })
  await database.query(`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = 1`)
  expect((await claim(1)).error).toMatchObject({
    reason: 'LIST_SYNCING',
    retry: true,
    conditions: [{ credentialId: '1', state: 'syncing' }],
  })
  await quest({ credentialGroups: [group('ALL', '1', '2')] })
  expect(await reasonOf(1)).toBe('CONDITION_NOT_MET')
  await quest({ credentialGroups: [group('ANY', '2', '1')] })
  expect(await reasonOf(1)).toBe('LIST_SYNCING')
  await database.query(`UPDATE credentials SET sync_status = 'SYNCED'`)
  expect(await reasonOf(1)).toBe('applied')
})

test('asks a live API before the transaction, and does not decide if it does not respond', async () => {
  await credential('1', [], { credSource: 'API' })
  await setSource(deps, '1', { kind: 'API', url: `${upstream.url}/{address}`, result: '/holds', cacheSeconds: 0 })
  await quest({ credentialGroups: [group('ALL', '1')] })
  const reply = (text: string) => (_: unknown, response: ServerResponse) => void response.end(text)
  answer = (_, response) => void response.writeHead(500).end()
  expect((await claim(1)).error).toMatchObject({
    reason: 'SOURCE_UNAVAILABLE',
    retry: true,
    conditions: [{ state: 'unavailable' }],
  })
  answer = reply('{"holds": false}')
  expect(await reasonOf(1)).toBe('CONDITION_NOT_MET')
  // The quest can be locked while the API is asked.
  answer = async (_, response) => {
    await database.query('UPDATE quests SET description = $2 WHERE quest_id = $1', [QUEST, 'changed'])
    response.end('{"holds": true}')
  }
  expect(await reasonOf(1)).toBe('applied')
})

test('asks again if the conditions change during the request', async () => {
  await credential('1', [], { credSource: 'API' })
  await credential('2', [], { credSource: 'API' })
  for (const id of ['1', '2'])
    await setSource(deps, id, { kind: 'API', url: `${upstream.url}/${id}/{address}`, result: '/holds' })
  await quest({ credentialGroups: [group('ALL', '1')] })
  answer = async ({ url }, response) => {
    if (url.startsWith('/1/')) await quest({ credentialGroups: [group('ALL', '2')] })
    response.end(`{"holds": ${url.startsWith('/1/')}}`)
  }
  expect((await claim(1)).error).toMatchObject({ conditions: [{ credentialId: '2', state: 'not-met' }] })
})

test('uses the list of a credential that has no live API', async () => {
  await credential('1', [address(1)], { credSource: 'API' })
  await quest({ credentialGroups: [group('ALL', '1')] })
  expect(await reasonOf(1)).toBe('applied')
})

test('never meets a group that needs one of no conditions', async () => {
  await quest({ credentialGroups: [group('ANY')] })
  expect(await reasonOf(1)).toBe('CONDITION_NOT_MET')
})
