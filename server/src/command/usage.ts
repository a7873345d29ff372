import { type Command, InvalidArgumentError } from 'commander'
import { TokenInputError } from '../access/server-tokens.ts'
import { findTokenId } from '../access/server-tokens.queries.ts'
import { isWellFormedToken } from '../secrets/token-format.ts'
import { hashOf } from '../secrets/hashes.ts'
import { readUsage } from '../access/usage.queries.ts'
import { DAY } from '../clock.ts'
import { inColumns } from './columns.ts'
import { OutputCommand, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'

const HEADER = ['UTC DAY', 'STATUS', 'REQUESTS', 'OPERATION'] as const

/** `questboard usage TOKEN`: the requests of a token. */
export function usageCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('usage')
    .argument('<token>', "the token's id, or its value")
    .option('--days <n>', 'number of days, including today', days, 30)
    .action((token: string, options: { days: number }) =>
      withDependencies(async ({ database, clock }) => {
        const tokenId = await findTokenId(database.kysely, isWellFormedToken('qbs', token) ? hashOf(token) : token)
        if (!tokenId)
          throw new TokenInputError('token', 'The token does not exist. `questboard token list` lists the tokens.')
        const since = new Date(clock.now() - (options.days - 1) * DAY).toISOString().slice(0, 10)
        const counts = await readUsage(database.kysely, tokenId, since)
        const rows = counts.map(({ day, operation, status, requests }) => [
          day,
          String(status),
          String(requests).padStart(HEADER[2].length),
          operation,
        ])
        const total = counts.reduce((sum, count) => sum + count.requests, 0)
        const table = rows.length > 0 ? inColumns([HEADER, ...rows]) : [`No requests since ${since}.`]
        printResult({ tokenId, since, counts, total }, [...table, `total ${total}`].join('\n'))
      }),
    )
}

function days(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 3650)
    throw new InvalidArgumentError('It must be a whole number from 1 to 3650.')
  return value
}
