import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { distribute, DistributionError, readPlan, requireDistributable } from '../distribution/distribute.ts'
import { describePlan } from '../distribution/plan.ts'
import type { WithDependencies } from './token.ts'

/** `questboard database …`: how the tables lie on their servers. */
export function databaseCommand(withDependencies: WithDependencies): Command {
  const database = new Command('database').description('how the tables lie on their servers')

  database
    .command('distribute')
    .description('spread the tables over the nodes of a Citus cluster; stop the service first')
    .option('--plan', 'say what would be done, and change nothing')
    .option('--yes', 'do it without asking')
    .action((options: { plan?: true; yes?: true }) =>
      withDependencies(async ({ config, database: { pool } }) => {
        const client = await pool.connect()
        try {
          const plan = await readPlan(client)
          for (const line of describePlan(plan)) console.log(line)
          if (options.plan) {
            for (const problem of plan.problems) console.log(`Cannot be done: ${problem}.`)
            if (plan.extension !== 'made') console.log('Cannot be done here: this database has no Citus.')
            return
          }
          if (config.databaseUrl === undefined)
            throw new DistributionError('The embedded database is one server. Set DATABASE_URL to a cluster of Citus.')
          requireDistributable(plan)
          if (plan.moves.length === 0 && plan.comeBack.length === 0)
            return console.log('The installation is distributed already: nothing to do.')
          if (!options.yes && !(await confirmed()))
            throw new DistributionError('Nothing was changed. Answer yes, or give --yes.')
          await distribute(client, plan, (line) => console.log(line))
          console.log('The installation is distributed.')
        } finally {
          client.release()
        }
      }),
    )

  return database
}

async function confirmed(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    return (await Promise.race([lines.question('Do it? The service must be stopped. (yes/no) '), closed])) === 'yes'
  } finally {
    lines.close()
  }
}
