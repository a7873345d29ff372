import type { Command } from 'commander'
import { format, resolveConfig } from 'prettier'
import { PROGRAM, PROGRAM_NAME } from '../server/src/settings/called-as.ts'
import { programWith } from '../server/src/command/commands.ts'
import { outputOf } from './cli-output.ts'
import { splitLongCells } from './long-cells.ts'

const INTRODUCTION = `# Command line

After this page you can run each command, and use it in scripts.

\`bin/questboard COMMAND\` in the folder of the checkout runs a command. Commands use the database in
\`DATABASE_URL\`, or the embedded database. The service can be running or stopped. \`bin/${PROGRAM_NAME} COMMAND --help\` prints
the usage, arguments and options of a command.

With the embedded database, links in the output have the port of the service that used the database last, unless \`PORT\` or
\`QUESTBOARD_PUBLIC_URL\` is set. With \`DATABASE_URL\`, set these as for the service.

In another folder, use the path of \`bin/${PROGRAM_NAME}\`, or a symbolic link to it in a folder of your \`PATH\`. In the
folder of the checkout, \`npm exec --offline -- ${PROGRAM_NAME} COMMAND\` does the same. Do not run \`npx ${PROGRAM_NAME}\` outside
the checkout: npm then runs the package that has this name in its registry, which is not part of this project.

## Output and exit status

- Results go to standard output; hints, questions and progress go to standard error.
- Every command accepts \`--json\`, which prints the result as one JSON document. Commands that print records ignore it:
  \`ledger export\`, \`snapshot download\`, and \`export\` of a space, sprint, starboard, credential or quest.
- Every command accepts \`--quiet\`, which omits hints, progress and confirmations. With it, \`import\` and \`mirror\` print
  only errors. So does \`apply\`, unless \`--diff\` is given. In scripts, use \`--json --quiet\`.
- The exit status is 0 after success, even if there was nothing left to do: revoking a revoked token changes nothing
  and succeeds. It is 1 after a failure, 2 for an invalid setting, and 130 after Ctrl-C.

## Shell completion

Store the completion script for your shell in a file. The folder of the file must exist. To create it, use for example
\`mkdir -p ~/.zfunc\`.

\`\`\`bash
bin/${PROGRAM_NAME} completion bash > ~/.local/share/bash-completion/completions/${PROGRAM_NAME}
bin/${PROGRAM_NAME} completion zsh > ~/.zfunc/_${PROGRAM_NAME}
bin/${PROGRAM_NAME} completion fish > ~/.config/fish/completions/${PROGRAM_NAME}.fish
\`\`\`

The commands print nothing, because the files get the output. The scripts complete commands, options and the choices of
arguments. They do not complete values of options. For zsh, the folder must be in \`fpath\`. After an update, run the command again.
`

const COMMON = new Set(['--json', '--quiet'])

/** docs/cli.md: every command with its arguments and options. */
export async function cliPage(): Promise<string> {
  const program = await programWith(PROGRAM_NAME, () => true)
  const sections = program.commands.flatMap((command) => section(command, [`bin/${PROGRAM_NAME}`], 2))
  const options = await resolveConfig(import.meta.filename)
  // Help texts name the program as it was started; the page names the launcher.
  const page = [INTRODUCTION, ...sections].join('\n\n').replaceAll(`\`${PROGRAM} `, `\`bin/${PROGRAM_NAME} `)
  return format(page, { ...options, parser: 'markdown' })
}

function section(command: Command, path: readonly string[], level: number): string[] {
  const own = [...path, command.name()]
  const help = command.createHelp()
  const words = [...own, command.usage().replace(/^\[options\] ?/, '')].join(' ').trim()
  const rows = [
    ...command.registeredArguments.map((argument) => [`<${argument.name()}>`, help.argumentDescription(argument)]),
    ...command.options
      .filter(({ hidden, long }) => !hidden && !COMMON.has(long ?? ''))
      .map((option) => [option.flags, help.optionDescription(option)]),
  ]
  const { cells, below } = splitLongCells(rows.map(([name = '', text = '']) => ({ name: `\`${name}\``, text })))
  const table = rows.map(([name], index) => `| \`${name}\` | ${cells[index]?.replaceAll('|', '\\|')} |`)
  const subs = command.commands.flatMap((sub) => section(sub, own, level + 1))
  return [
    `${'#'.repeat(level)} ${own.slice(1).join(' ')}\n`,
    `${sentence(command.description())}\n`,
    ...(command.commands.length > 0
      ? []
      : ['```text\n' + words + (command.options.length > 0 ? ' [options]' : '') + '\n```\n']),
    ...(table.length > 0
      ? [['| Argument or option | Meaning |', '| --- | --- |', ...table].join('\n') + `\n${below}`]
      : []),
    ...(subs.length > 0 ? subs : [`${outputOf(own.slice(1).join(' '))}\n`]),
  ]
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
