import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { INSTALLATION, NO_NETWORK } from '../../../src/audit/audit.ts'
import type { JobCall } from '../../../src/jobs/jobs.ts'
import { applyObjects } from '../../../src/programme/apply.ts'
import { readObjects } from '../../../src/programme/objects.ts'
import { parseFile } from '../../../src/programme/read-file.ts'
import { rulesJobs } from '../../../src/rules/job.ts'
import { BY_COMMAND, readRules, setRules } from '../../../src/rules/rule-sets.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { linkName, signedInMember } from '../../claims/member-fixture.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { BOT_TOKEN, type DiscordApi, discordApi } from '../../sync/platforms/discord-api.ts'
import { blocksOf } from './blocks.ts'
import { patternOf, runCommand } from './run-command.ts'

const blocks = blocksOf('docs/guides/run-a-quest.md')
const textOf = (language: string, like = '') =>
  blocks.find(({ language: one, text }) => one === language && text.startsWith(like))?.text ?? ''

/** The command prints the lines of the page. */
async function expectOutput(command: string, shown: string): Promise<void> {
  const printed = (await runCommand(service.services, command.split(' '))).split('\n')
  for (const line of shown.trimEnd().split('\n')) expect(printed).toContainEqual(expect.stringMatching(patternOf(line)))
}

let discord: DiscordApi
let upstream: Upstream
let service: SignInService
beforeAll(async () => {
  discord = discordApi()
  upstream = await startUpstream((request, response) => discord.answer(request, response))
  service = await startSignIn({ checkAnswers: true, settings: { QUESTBOARD_DISCORD_SITE: upstream.url } })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await service.close()
  await upstream.close()
})

it('runs the quest of docs/guides/run-a-quest.md from its files to the points of a member', async () => {
  const { services, database, clock } = service
  const actor = { accountId: INSTALLATION, network: NO_NETWORK, by: 'command' as const }
  const objects = readObjects([parseFile('garden.yaml', textOf('yaml'))])
  const environment = { DISCORD_BOT_TOKEN: BOT_TOKEN }
  const applied = await applyObjects({ ...services, actor }, objects, { diff: false, environment })
  const lines = applied.objects.map(({ kind, id, name }) => `+ ${kind} ${id} ${JSON.stringify(name)}`)
  expect(textOf('text', '+ space').trim().split('\n').slice(0, -1)).toEqual(lines)

  discord.members.set('80351110224678001', [])
  expect(await runSync(services, '500')).toMatchObject({ holders: 1 })
  await expectOutput('sync list', textOf('text', '500  '))
  await database.kysely
    .transaction()
    .execute((trx) => setRules(services, trx, 9001, readRules(JSON.parse(textOf('json'))), { author: BY_COMMAND }))

  const friend = await signedInMember(service)
  await linkName(service, friend.accountId, 'Discord', '80351110224678002')
  const readiness = (await friend.browser.get('/api/quests/GCwelcome/readiness')).json<object>()
  expect(readiness).toMatchObject({
    state: 'refused',
    groups: [{ conditions: [{ expression: 'Join our Discord server', state: 'not-met', checkable: true }] }],
  })
  discord.members.set('80351110224678002', [])
  const body = { credentialId: '500' }
  const checked = await friend.browser.call('POST', '/api/quests/GCwelcome/verifications', body)
  expect(checked.json()).toMatchObject({ held: true, listChanged: true })
  const claimed = await friend.browser.call('POST', '/api/quests/GCwelcome/claim')
  expect(claimed.json()).toMatchObject({ status: 'applied', completion: { points: 50 } })

  const [events] = rulesJobs(services)
  const call: JobCall = { now: clock.now(), agreedNow: async () => clock.now(), signal: new AbortController().signal }
  await events?.run(call)
  expect(await database.query('SELECT address, points FROM board_entries WHERE sprint_id = 0')).toEqual([
    { address: friend.address, points: 100 },
  ])
  await expectOutput('ledger export 9001 --source quest,rule', textOf('text', 'id,time'))
})
