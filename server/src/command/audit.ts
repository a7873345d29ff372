import { Command } from 'commander'
import { readUuid } from '../identity/read-body.ts'
import { readAuditPage } from '../identity/audit-page.ts'
import type { StoredEvent } from '../identity/audit.queries.ts'
import type { WithDependencies } from './token.ts'

interface AuditOptions {
  account?: string
  first?: string
  before?: string
}

/** `questboard audit`: what happened to accounts and apps, newest first. */
export function auditCommand(withDependencies: WithDependencies): Command {
  return new Command('audit')
    .description('security events: sign-ins, links, consents, replayed tokens, secrets, apps; newest first')
    .option('--account <account id>', 'of this account only')
    .option('--first <n>', 'at most so many, 1 to 100', '50')
    .option('--before <time>', 'before this time, or before the place that the last line of a page names')
    .action(({ account, ...page }: AuditOptions) =>
      withDependencies(async (deps) => {
        const accountId = account === undefined ? undefined : readUuid(account, 'Account')
        const { events, next } = await readAuditPage(deps, page, accountId)
        if (events.length === 0) console.log('No events.')
        for (const event of events) console.log(line(event))
        if (next !== null) console.error(`More: --before ${next}`)
      }),
    )
}

function line({ at, event, accountId, clientId, address, details }: StoredEvent): string {
  const told = Object.entries(details ?? {}).map(([name, value]) => `${name}=${value}`)
  return [at.toISOString(), event, accountId, clientId ?? '-', address || '-', ...told].join('  ')
}
