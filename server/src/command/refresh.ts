import type { Command } from 'commander'
import { refreshStarboard, type RefreshOutcome } from '../ranking/starboards/refresh.ts'
import { starboardIds } from '../ranking/starboards/refresh.queries.ts'
import { OutputCommand, printAsJson, printLine, progressScreen } from './output.ts'
import { count, duration, stepsDisplay } from './progress.ts'
import type { WithDependencies } from './token.ts'

/** `questboard refresh`: ranks starboards at once (docs/ranking.md). */
export function refreshCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('refresh')
    .option('--starboard <id>', 'only this starboard (default: all)')
    .action(({ starboard }: { starboard?: string }) =>
      withDependencies(async (deps) => {
        const ids = starboard === undefined ? await starboardIds(deps.database.kysely) : [starboard]
        if (ids.length === 0) printLine('No starboards.')
        const display = stepsDisplay(progressScreen(), deps.clock, 'ranking', { estimate: true })
        const outcomes: RefreshOutcome[] = []
        try {
          for (const [index, id] of ids.entries()) {
            display.begins(id, index + 1, ids.length)
            const started = deps.clock.now()
            const outcome = await refreshStarboard(deps, id)
            outcomes.push(outcome)
            display.say(`${describe(outcome)} (${duration(deps.clock.now() - started)})`)
          }
        } finally {
          display.close()
        }
        printAsJson(outcomes)
      }),
    )
}

function describe({ starboardId, published, version, userCount }: RefreshOutcome): string {
  if (version === 0) return `${starboardId}: no user is ranked yet; import samples first`
  const users = `${count(userCount)} ${userCount === 1 ? 'user' : 'users'}`
  return `${starboardId}: ${published ? `version ${version} published` : `unchanged, version ${version}`}, ${users}`
}
