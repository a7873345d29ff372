import { vi } from 'vitest'
import type { AuditedWorld, Operation } from './audited-operation.ts'
import { auditedRequests } from './audited-requests.ts'

/** Imports of uploaded files. */
export function auditedImports(world: AuditedWorld): Operation[] {
  const { about, api, operator } = auditedRequests(world)
  const path = '/api/operator/imports'
  let counter = 0
  let fileName = ''

  /** An import that waits for a confirmation, without the upload and the check. */
  const checked = async (accountId: string): Promise<string> => {
    const [row] = await world.service.database.query<{ id: string }>(
      `INSERT INTO imports (import_id, account_id, file_name, state, replaces, created_at, touched_at)
       VALUES (gen_random_uuid(), $1, 'checked.csv', 'checked', false, now(), now()) RETURNING import_id AS id`,
      [accountId],
    )
    return `${path}/${row?.id}`
  }
  const decide = (event: 'import.confirmed' | 'import.cancelled', action: 'apply' | 'cancel') =>
    about(event, 'POST', async ({ account }) => `${await checked(account.id)}/${action}`, undefined, operator)

  return [
    {
      events: ['import.uploaded'],
      async prepare() {
        const { browser } = await operator()
        fileName = `spaces-${(counter += 1)}.csv`
        const sent = await api(browser, 'POST', `${path}/uploads?fileName=${fileName}`)
        return { ...sent, headers: { ...sent.headers, 'content-type': 'text/csv' }, body: 'spaceId,name\n990,Nine\n' }
      },
      // A client that disconnects before its file has arrived has uploaded nothing.
      async isDone() {
        const text = 'SELECT bytes FROM imports WHERE file_name = $1'
        const uploads = () => world.service.database.query<{ bytes: number }>(text, [fileName])
        const hasArrived = async () => (await uploads()).some(({ bytes }) => bytes > 0)
        const hasBegun = async () => (await uploads()).length > 0
        if (!(await vi.waitUntil(hasBegun, { timeout: 2_000 }).catch(() => false))) return false
        // It ends, or its row is deleted.
        await vi.waitUntil(async () => (await hasArrived()) || !(await hasBegun()), { timeout: 60_000 })
        return hasArrived()
      },
    },
    decide('import.confirmed', 'apply'),
    decide('import.cancelled', 'cancel'),
    about(
      'import.undone',
      'POST',
      async ({ account }) => {
        const [row] = await world.service.database.query<{ id: string }>(
          `INSERT INTO imports (import_id, account_id, file_name, state, replaces, created_at, touched_at, ended_at, space_ids)
           VALUES (gen_random_uuid(), $1, 'stored.csv', 'stored', false, now(), now(), now(), '{40}') RETURNING import_id AS id`,
          [account.id],
        )
        return `${path}/${row?.id}/undo`
      },
      undefined,
      operator,
    ),
  ]
}
