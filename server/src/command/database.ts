import type { Command } from 'commander'
import type { ClientBase } from 'pg'
import { distribute, DistributionError, readPlan, restoreForeignKeys } from '../distribution/distribute.ts'
import { describePlan } from '../distribution/plan.ts'
import { obstacleTo, requireDistributable, requireStopped, withDistributionLock } from '../distribution/preflight.ts'
import { confirmed } from './confirm.ts'
import { OutputCommand, printDone, printLine, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'

interface Options {
  plan?: true
  yes?: true
  singleNode?: true
  restoreKeys?: true
}

const EMBEDDED =
  'the embedded database is one server. Set DATABASE_URL to the coordinator of a Citus cluster; see docs/scale.md, "A distributed engine".'

/** `questboard database …`: distribution of the tables on a cluster. */
export function databaseCommand(withDependencies: WithDependencies): Command {
  const database = new OutputCommand('database')

  database
    .command('distribute')
    .description('spread the tables over the nodes of a Citus cluster; stop the service first')
    .option('--plan', 'print what would be done, and change nothing')
    .option('--yes', 'do not ask for confirmation')
    .option('--single-node', 'let the coordinator hold all rows if the cluster has no workers')
    .option(
      '--restore-keys',
      'only restore the foreign keys that an earlier run dropped; fails if a table is distributed',
    )
    .action((options: Options) =>
      withDependencies(async ({ config, database: { pool } }) => {
        const client = await pool.connect()
        try {
          if (options.plan) await showPlan(client, options, config.databaseUrl === undefined)
          else if (options.restoreKeys)
            await withDistributionLock(client, () => restoreForeignKeys(client)).then((restored) =>
              printDone({ foreignKeysRestored: restored }, `${restored} foreign keys were created again.`),
            )
          else if (config.databaseUrl === undefined) throw new DistributionError(`Nothing was changed: ${EMBEDDED}`)
          else await withDistributionLock(client, () => carryOut(client, options))
        } finally {
          client.release()
        }
      }),
    )

  return database
}

const wantedOf = ({ singleNode }: Options) => ({ singleNode: singleNode === true })

/** Sets exit status 1 if the plan cannot be carried out. */
async function showPlan(client: ClientBase, options: Options, embedded: boolean): Promise<void> {
  const plan = await readPlan(client)
  const reason = embedded ? EMBEDDED : await obstacleTo(client, plan, wantedOf(options))
  if (reason !== undefined) {
    process.exitCode = 1
  }
  const why = reason === undefined ? '' : `Not possible here: ${reason}\nOn a cluster, this would be done.\n\n`
  printResult({ possible: reason === undefined, reason, plan }, why + describePlan(plan).join('\n'))
}

async function carryOut(client: ClientBase, options: Options): Promise<void> {
  const plan = await readPlan(client)
  await requireDistributable(client, plan, wantedOf(options))
  for (const line of describePlan(plan)) printLine(line)
  const { moves, comeBack, copies, unnoticed, unshared } = plan
  if ([moves, comeBack, copies, unnoticed, unshared].every(({ length }) => length === 0))
    return printDone({ distributed: true, plan }, 'The installation is already distributed: nothing to do.')
  await requireStopped(client)
  if (!options.yes && !(await confirmed('Continue? The service must be stopped.')))
    throw new DistributionError('Nothing was changed. Type yes, or use --yes.')
  await requireStopped(client) // checked again after the time that the user took to confirm
  await distribute(client, plan, printLine)
  printDone({ distributed: true, plan }, 'The installation is distributed.')
}
