import { type Command, InvalidArgumentError, Option } from 'commander'
import { stringify } from 'yaml'
import { describe } from '../programme/describe.ts'
import { listObjects } from '../objects/objects.ts'
import { OutputCommand, printResult } from './output.ts'
import type { WithDependencies } from './token.ts'

const PAGE = 1_000
const MAX_WIDTH = 120

interface ExportOptions {
  space: number[]
  starboard: string[]
  all?: true
}

/** `questboard export`: prints a space in the format of `apply` (docs/guides/programme-in-git.md). */
export function exportCommand(withDependencies: WithDependencies): Command {
  return new OutputCommand('export')
    .option(
      '--space <id>',
      'a space with its sprints, credentials, quests and rules; may be repeated',
      collectSpace,
      [],
    )
    .option('--starboard <id>', 'a starboard; may be repeated', collect, [])
    .addOption(new Option('--all', 'all spaces and starboards').conflicts(['space', 'starboard']))
    .action(({ space, starboard, all }: ExportOptions) => {
      if (!all && space.length === 0 && starboard.length === 0)
        throw new InvalidArgumentError('Nothing was exported: name a --space or --starboard, or use --all.')
      return withDependencies(async (deps) => {
        const ids = (name: 'space' | 'starboard') => allIds(deps, name)
        const wanted = all
          ? { spaceIds: (await ids('space')).map(Number), starboardIds: await ids('starboard') }
          : { spaceIds: space, starboardIds: starboard }
        const described = await describe(deps, wanted)
        printResult(described, stringify(described, { lineWidth: MAX_WIDTH }).trimEnd())
      })
    })
}

async function allIds(deps: Parameters<typeof listObjects>[0], name: 'space' | 'starboard'): Promise<string[]> {
  const ids: string[] = []
  let after = ''
  for (;;) {
    const { items, next } = await listObjects(deps, name, { first: PAGE, after })
    ids.push(...items.map(({ id }) => id))
    if (next === null) return ids
    after = next
  }
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text]

function collectSpace(text: string, before: readonly number[]): number[] {
  if (!/^[1-9][0-9]{0,9}$/.test(text) || Number(text) > 2_147_483_647)
    throw new InvalidArgumentError('It must be the ID of a space.')
  return [...before, Number(text)]
}
