import type { Command } from 'commander'
import type { ClientBase } from 'pg'
import { distribute, DistributionError, readPlan, restoreForeignKeys } from '../distribution/distribute.ts'
import { describePlan } from '../distribution/plan.ts'
import { alone, requireDistributable, requireStopped, whyNotHere } from '../distribution/preflight.ts'
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
  'the embedded database is one server, and stays one. Set DATABASE_URL to the coordinator of a Citus cluster; docs/scale.md, "A distributed engine", says how.'

/** `questboard database …`: how the tables lie on their servers. */
export function databaseCommand(withDependencies: WithDependencies): Command {
  const database = new OutputCommand('database')

  database
    .command('distribute')
    .description('spread the tables over the nodes of a Citus cluster; stop the service first')
    .option('--plan', 'say what would be done, and change nothing')
    .option('--yes', 'do it without asking')
    .option('--single-node', 'let the coordinator hold all rows when there are no workers')
    .option('--restore-keys', 'only make the foreign keys again that a run has dropped; while no table is distributed')
    .action((options: Options) =>
      withDependencies(async ({ config, database: { pool } }) => {
        const client = await pool.connect()
        try {
          if (options.plan) await showPlan(client, options, config.databaseUrl === undefined)
          else if (options.restoreKeys)
            await alone(client, () => restoreForeignKeys(client)).then((restored) =>
              printDone({ foreignKeysRestored: restored }, `${restored} foreign keys were made again.`),
            )
          else if (config.databaseUrl === undefined) throw new DistributionError(`Nothing was changed: ${EMBEDDED}`)
          else await alone(client, () => carryOut(client, options))
        } finally {
          client.release()
        }
      }),
    )

  return database
}

/** The exit status is 1 when the plan cannot be carried out here. */
async function showPlan(client: ClientBase, { singleNode }: Options, embedded: boolean): Promise<void> {
  const plan = await readPlan(client)
  const reason = embedded ? EMBEDDED : await whyNotHere(client, plan, { singleNode: singleNode === true })
  if (reason !== undefined) {
    process.exitCode = 1
  }
  const why = reason === undefined ? '' : `Cannot be done here: ${reason}\nThis is what would be done on a cluster.\n\n`
  printResult({ possible: reason === undefined, reason, plan }, why + describePlan(plan).join('\n'))
}

async function carryOut(client: ClientBase, { yes, singleNode }: Options): Promise<void> {
  const plan = await readPlan(client)
  await requireDistributable(client, plan, { singleNode: singleNode === true })
  for (const line of describePlan(plan)) printLine(line)
  if (plan.moves.length === 0 && plan.comeBack.length === 0 && plan.copies.length === 0)
    return printDone({ distributed: true, plan }, 'The installation is distributed already: nothing to do.')
  await requireStopped(client)
  if (!yes && !(await confirmed('Do it? The service must be stopped.')))
    throw new DistributionError('Nothing was changed. Answer yes, or give --yes.')
  await requireStopped(client) // also after the time that an answer took
  await distribute(client, plan, printLine)
  printDone({ distributed: true, plan }, 'The installation is distributed.')
}
