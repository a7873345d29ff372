import type { Command } from 'commander'
import { readUuid } from '../api/read-body.ts'
import { readAuditPage, readAuditQuery } from '../dashboard/audit-page.ts'
import type { StoredEvent } from '../audit/audit.queries.ts'
import { inBlock } from './columns.ts'
import { hint, OutputCommand, printList } from './output.ts'
import type { WithDependencies } from './token.ts'

interface AuditOptions {
  account?: string
  first?: string
  before?: string
}

/** `questboard audit`: the audit log, newest first. */
export function auditCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('audit')
    .option('--account <account id>', 'only events of the account with this id')
    .option('--first <n>', 'number of events, 1 to 100', '50')
    .option(
      '--before <time>',
      'before this time, or before the position in the last line of the previous output: `More: --before POSITION`',
    )
    .action(({ account, ...page }: AuditOptions) =>
      withDependencies(async (deps) => {
        const accountId = account === undefined ? undefined : readUuid(account, 'Account')
        const { events, next } = await readAuditPage(deps, readAuditQuery({ ...page }), accountId)
        printList(events, { none: 'No events.', lines: block })
        if (next !== null) hint(`More: --before ${next}`)
      }),
    )
}

function block({ at, event, accountId, clientId, address, details }: StoredEvent): string {
  const told = Object.entries(details ?? {}).map(([name, value]) => `${name}=${value}`)
  return inBlock(
    [at.toISOString(), event, accountId],
    [clientId === undefined ? '' : `app ${clientId}`, address ? `from ${address}` : '', ...told],
  )
}
