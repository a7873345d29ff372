import { Command, Option } from 'commander'
import {
  createToken,
  type IssuedToken,
  listServerTokens,
  regenerateToken,
  revokeToken,
} from '../access/server-tokens.ts'
import { findOrCreateAccount } from '../access/server-tokens.queries.ts'
import { ensurePlans } from '../access/plans.ts'
import type { Dependencies } from '../dependencies.ts'
import { AREAS } from '../graphql/context.ts'

/** Runs a command's work with the configured database open. */
export type WithDependencies = <Result>(work: (deps: Dependencies) => Promise<Result>) => Promise<Result>

interface CreateOptions {
  name: string
  account: string
  areas?: string
  plan: string
  expires?: string
}

/** `questboard token …`: server access tokens (spec 5.1). */
export function tokenCommand(withDependencies: WithDependencies): Command {
  const token = new Command('token').description('server access tokens for POST /query')

  token
    .command('create')
    .description('create a token; its value is printed once and cannot be shown again')
    .requiredOption('--name <name>', 'what you call it, 1 to 100 characters')
    .option('--account <name>', 'account that owns it; created when it does not exist', 'default')
    .option('--areas <list>', `what it may read, comma separated: ${AREAS.join(',')} (default: all)`)
    .option('--plan <plan>', 'its quota', 'free')
    .addOption(new Option('--expires <time>', 'when it stops, such as 2027-01-31T00:00:00Z (default: never)'))
    .action((options: CreateOptions) =>
      withDependencies(async (deps) => {
        await ensurePlans(deps.database, deps.config)
        show(await createToken(deps, { ...(await wantedToken(deps, options)) }))
      }),
    )

  token
    .command('regenerate <id>')
    .description('give a token a new value; the old one stops at once')
    .action((id: string) => withDependencies(async (deps) => show(await regenerateToken(deps, id))))

  token
    .command('revoke <id>')
    .description('end a token for good')
    .action((id: string) =>
      withDependencies(async (deps) => {
        const record = await revokeToken(deps, id)
        console.log(`Revoked "${record.name}" (${record.tokenId}).`)
      }),
    )

  token
    .command('list')
    .description('all tokens, without their values')
    .action(() =>
      withDependencies(async ({ database }) => {
        const tokens = await listServerTokens(database)
        if (tokens.length === 0) console.log('No tokens yet. `questboard token create --name NAME` makes one.')
        for (const { tokenId, name, plan, areas, expiresAt, revokedAt, lastUsedAt } of tokens) {
          const state = revokedAt ? `revoked ${iso(revokedAt)}` : expiresAt ? `expires ${iso(expiresAt)}` : 'live'
          const use = lastUsedAt ? `last used ${iso(lastUsedAt)}` : 'never used'
          console.log([tokenId, name, plan, areas.join(','), state, use].join('  '))
        }
      }),
    )

  return token
}

async function wantedToken(deps: Dependencies, options: CreateOptions) {
  const accountId = await findOrCreateAccount(deps.database.kysely, {
    accountId: deps.random.uuid(),
    name: options.account,
    createdAt: new Date(deps.clock.now()),
  })
  return {
    accountId,
    name: options.name,
    plan: options.plan,
    ...(options.areas === undefined ? {} : { areas: options.areas.split(',').map((area) => area.trim()) }),
    ...(options.expires === undefined ? {} : { expiresAt: new Date(options.expires) }),
  }
}

/** The value alone goes to standard output, so that a script can take it. */
function show({ token, record }: IssuedToken): void {
  console.error(
    `Token "${record.name}" (id ${record.tokenId}). Keep its value now: it is not stored and cannot be shown again.`,
  )
  console.log(token)
}

function iso(date: Date): string {
  return date.toISOString().slice(0, 19) + 'Z'
}
