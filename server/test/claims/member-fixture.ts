import { importRecords } from '../../src/ingest/import-records.ts'
import { signInWithWallet } from '../support/oauth-browser.ts'
import { type Browser, openBrowser } from '../support/oauth-browser.ts'
import { type ServiceOptions, type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'

export const SPACE = 40
export const QUEST = 'GCmember01'
const MINUTE = 60_000

export interface Member {
  browser: Browser
  accountId: string
  /** The wallet address in canonical form. */
  address: string
}

/** A sign-in service with a space, and helpers for quests and members. Every response must match the OpenAPI document. */
export async function startMemberQuests(options: ServiceOptions = {}) {
  const service = await startSignIn({ checkAnswers: true, ...options })
  const { services, clock } = service
  await importRecords(services, 'spaces', [{ spaceId: SPACE, name: 'Garden' }])
  const inMinutes = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString()
  const quest = async (id: string, more: object = {}) =>
    importRecords(services, 'quests', [
      { id, spaceId: SPACE, name: `Quest ${id}`, type: 'Points', loyaltyPoints: 50, ...more },
    ])
  const credential = async (id: string, holders: string[], more: object = {}) => {
    await importRecords(services, 'credentials', [
      { id, name: `Pass ${id}`, credType: 'EVM_ADDRESS', credSource: 'CSV', ...more },
    ])
    if (holders.length > 0)
      await importRecords(
        services,
        'holders',
        holders.map((address) => ({ credentialId: id, address })),
      )
  }
  const group = (conditionRelation: 'ALL' | 'ANY', ...credentialIds: string[]) => ({
    id: `g-${conditionRelation}`,
    name: `Group ${conditionRelation}`,
    conditionRelation,
    conditions: credentialIds.map((credentialId) => ({ expression: `Hold ${credentialId}`, credentialId })),
    rewards: [],
  })
  const points = (address: string) =>
    service.database.query<{ points: number }>(
      'SELECT points FROM board_entries WHERE space_id = $1 AND sprint_id = 0 AND address = $2',
      [SPACE, address],
    )
  return { service, inMinutes, quest, credential, group, points, member: () => signedInMember(service) }
}

export async function signedInMember(service: SignInService): Promise<Member> {
  const browser = openBrowser(service.fastify)
  const account = await signInWithWallet(browser)
  return { browser, accountId: account.id, address: account.wallet.address.toLowerCase() }
}

/** Links another wallet to the account. @returns its address */
export async function linkWallet({ browser }: Pick<Member, 'browser'>): Promise<string> {
  const wallet = testWallet()
  const asked = { kind: 'EVMAddress', purpose: 'link', address: wallet.address }
  const { id, message } = (await browser.call('POST', '/api/challenges', asked)).json<{ id: string; message: string }>()
  const linked = await browser.call('POST', `/api/challenges/${id}/proof`, { signature: wallet.sign(message) })
  if (linked.statusCode !== 200) throw new Error(`not linked: ${linked.body}`)
  return wallet.address.toLowerCase()
}

/** Stores an identity as its sign-in would. */
export async function linkName(service: SignInService, accountId: string, kind: string, subject: string) {
  await service.database.query('INSERT INTO identity_subjects (subject, kind, account_id) VALUES ($1, $2, $3)', [
    subject,
    kind,
    accountId,
  ])
  await service.database.query(
    'INSERT INTO identities (account_id, kind, subject, linked_at) VALUES ($1, $2, $3, now())',
    [accountId, kind, subject],
  )
  await service.database.query('INSERT INTO linked_names (name, kind, account_id) VALUES ($1, $2, $3)', [
    subject,
    kind,
    accountId,
  ])
}
