import { importRecords } from '../../src/ingest/import-records.ts'
import type { ItemResult } from '../../src/ingest-api/results.ts'
import { expect } from 'vitest'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import type { TestService } from '../support/service.ts'

export const SPACE = 40
export const QUEST = 'GCclaims01'
export const MINUTE = 60_000
export const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

/** Helpers for completions of one quest. */
export async function claimsFixture(service: TestService) {
  const { database, clock, deps } = service
  const token = await ingestToken(service)
  const inMinutes = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString()

  const reset = async () => {
    await database.query(
      `TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, board_entries, board_past, other_board_changes, profiles, space_version_times, ledger_entries, board_moves, board_counts, board_counted, credentials,
       credential_holders, linked_names, identities, identity_subjects, webhook_endpoints, bans, ban_addresses, banned_entries CASCADE`,
    )
    await importRecords(deps, 'spaces', [
      { spaceId: SPACE, name: 'Forty' },
      { spaceId: 41, name: 'Forty-one' },
    ])
  }

  const quest = (more: object = {}) =>
    importRecords(deps, 'quests', [
      { id: QUEST, spaceId: SPACE, name: 'Plant a tree', type: 'Points', loyaltyPoints: 50, ...more },
    ])
  const credential = async (id: string, holders: string[], more: object = {}) => {
    const given = { id, name: `Pass ${id}`, credType: 'EVM_ADDRESS' as const, credSource: 'CSV' as const, ...more }
    await importRecords(deps, 'credentials', [given])
    if (holders.length > 0)
      await importRecords(
        deps,
        'holders',
        holders.map((holder) => ({ credentialId: id, address: holder })),
      )
  }
  const group = (conditionRelation: 'ALL' | 'ANY', ...credentialIds: string[]) => ({
    id: `g-${conditionRelation}`,
    name: `Group ${conditionRelation}`,
    conditionRelation,
    conditions: credentialIds.map((credentialId) => ({ expression: `Hold ${credentialId}`, credentialId })),
    rewards: [],
  })
  /** @param usable whether the identities count for eligibility */
  async function link(accountId: string, names: readonly [name: string, kind: string][], usable = true): Promise<void> {
    await database.query(
      `INSERT INTO accounts (account_id, name, created_at) VALUES ($1::uuid, $1::text, now()) ON CONFLICT DO NOTHING`,
      [accountId],
    )
    for (const [name, kind] of names) {
      await database.query('INSERT INTO identity_subjects (subject, kind, account_id) VALUES ($1, $2, $3)', [
        name,
        kind,
        accountId,
      ])
      await database.query('INSERT INTO identities (account_id, kind, subject, linked_at) VALUES ($1, $2, $3, now())', [
        accountId,
        kind,
        name,
      ])
      if (usable)
        await database.query('INSERT INTO linked_names (name, kind, account_id) VALUES ($1, $2, $3)', [
          name,
          kind,
          accountId,
        ])
    }
  }

  const complete = (items: unknown, options: { token?: string; questId?: string; at?: TestService } = {}) =>
    send(options.at ?? service, `quests/${options.questId ?? QUEST}/completions`, items, {
      token: options.token ?? token,
    })
  async function claim(n: number | string, key = `key-${n}`): Promise<ItemResult> {
    const { status, body } = await complete([{ key, address: typeof n === 'number' ? address(n) : n }])
    expect(status).toBe(200)
    return body.results[0] as ItemResult
  }
  const reasonOf = async (n: number | string, key?: string) => {
    const { status, error } = await claim(n, key)
    return status === 'refused' ? error?.reason : status
  }
  const board = (sprintId = 0) =>
    database.query<{ address: string; points: number }>(
      `SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2 ORDER BY points DESC, address`,
      [SPACE, sprintId],
    )
  const state = async () => {
    const [row] = await database.query<{ status: string; count: number; stored: number; claims: number }>(
      `SELECT status, participants_count AS count,
       (SELECT count(*) FROM quest_participants WHERE quest_id = $1) AS stored,
       (SELECT count(*) FROM quest_claims WHERE quest_id = $1) AS claims
     FROM quests WHERE quest_id = $1`,
      [QUEST],
    )
    return row
  }

  return { token, inMinutes, reset, quest, credential, group, link, complete, claim, reasonOf, board, state }
}
