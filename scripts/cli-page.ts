import type { Command } from 'commander'
import { format, resolveConfig } from 'prettier'
import { PROGRAM, PROGRAM_NAME } from '../server/src/settings/called-as.ts'
import { programWith } from '../server/src/command/commands.ts'

const INTRODUCTION = `# Command line

After this page you can run each command, and use it in scripts.

\`bin/questboard COMMAND\` in the folder of the checkout runs a command. Commands use the database in
\`DATABASE_URL\`, or the embedded database. The service can be running or stopped. \`bin/${PROGRAM_NAME} COMMAND --help\` prints
the usage, arguments and options of a command.

In another folder, use the path of \`bin/${PROGRAM_NAME}\`, or a symbolic link to it in a folder of your \`PATH\`. In the
folder of the checkout, \`npm exec --offline -- ${PROGRAM_NAME} COMMAND\` does the same. Do not run \`npx ${PROGRAM_NAME}\` outside
the checkout: npm then runs the package that has this name in its registry, which is not part of this project.

## Output and exit status

- Results go to standard output; hints, questions and progress go to standard error.
- Every command accepts \`--json\`, which prints the result as one JSON document. Commands that print records ignore it:
  \`ledger export\`, \`snapshot download\`, and \`export\` of a space, sprint, starboard, credential or quest.
- Every command accepts \`--quiet\`, which omits hints, progress and confirmations. With it, \`import\` and \`mirror\` print
  only errors. So does \`apply\`, unless \`--diff\` is given. In scripts, use \`--json --quiet\`.
- The exit status is 0 after success, also when there was nothing left to do: revoking a revoked token changes nothing
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

/** The pages that show what the commands print, by command. A test runs the commands of these pages. */
const OUTPUT: Record<string, [title: string, address: string]> = {
  import: ['Import files', 'import.md#import-files'],
  apply: ['Compare and apply', 'guides/programme-in-git.md#compare-and-apply'],
  export: ['Start from an existing space', 'guides/programme-in-git.md#start-from-an-existing-space'],
  ledger: ['Ledger of points', 'ledger.md#read-a-ledger'],
  snapshot: ['Prepare an airdrop', 'guides/airdrop.md#count-the-list'],
  rules: ['Set the rules of a space', 'rules.md#set-the-rules-of-a-space'],
  ban: ['Ban an account or an address', 'bans.md#ban-an-account-or-an-address'],
  token: ['Tokens and plans', 'operations.md#tokens-and-plans'],
  'ingest-token': ['Create an ingest token', 'ingest.md#create-an-ingest-token'],
  account: ['Suspend an account', 'security.md#suspend-an-account'],
  refresh: ['Rank a starboard now', 'ranking.md#rank-a-starboard-now'],
  sync: ['Set a source', 'sync.md#set-a-source'],
  mirror: ['Copy data', 'mirror.md#copy-data'],
  webhook: ['Create a webhook', 'webhooks.md#create-a-webhook'],
  app: ['Get a client', 'guides/sign-in.md#1-get-a-client'],
  operator: ['Operator', 'pages.md#operator'],
  keys: ['Keys', 'security.md#keys'],
  audit: ['Read the audit log', 'watch.md#read-the-audit-log'],
  person: ['Personal data', 'personal-data.md#export-an-account'],
  database: ['Distribute the tables', 'scale.md#distribute-the-tables'],
  config: ['Show the settings', 'settings.md#show-the-settings'],
  doctor: ['Check the installation', 'settings.md#check-the-installation'],
}

/** What the other commands print. `server/test/manual/commands.test.ts` runs the example. */
const EXAMPLES: Record<string, string> = {
  space: `\`\`\`sh
bin/${PROGRAM_NAME} space show 40
\`\`\`

It prints:

\`\`\`text
40  Garden
    createdAt 2026-11-21T12:00:00.000Z
    quests 1, members 2, …
\`\`\`

Sprints, starboards, credentials and quests are printed in the same form. \`list\` prints them without the counts in the last line.`,
  usage: 'It prints a line for each day, status and operation, with the number of requests, and then the total.',
  migrate: 'It prints the name of each migration that it applies, and then `The schema is up to date.`',
  completion: 'It prints the script. [Shell completion](#shell-completion) shows where to store it.',
}
for (const name of ['sprint', 'starboard', 'credential', 'quest'])
  EXAMPLES[name] = `[\`space\`](#space) shows an example of the output.`

/** Shows what a command prints, or links the page that shows it. */
function outputOf(name: string): string {
  const [title, address] = OUTPUT[name] ?? []
  if (address !== undefined) return `[${title}](${address}) shows what it prints.`
  const example = EXAMPLES[name]
  if (example === undefined) throw new Error(`no example of the output of ${name}`)
  return example
}

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
  const table = rows.map(([name, text]) => `| \`${name}\` | ${text?.replaceAll('|', '\\|')} |`)
  const subs = command.commands.flatMap((sub) => section(sub, own, level + 1))
  return [
    `${'#'.repeat(level)} ${own.slice(1).join(' ')}\n`,
    `${sentence(command.description())}\n`,
    ...(command.commands.length > 0
      ? []
      : ['```text\n' + words + (command.options.length > 0 ? ' [options]' : '') + '\n```\n']),
    ...(table.length > 0 ? [['| Argument or option | Meaning |', '| --- | --- |', ...table].join('\n') + '\n'] : []),
    ...(path.length === 1 ? [`${outputOf(command.name())}\n`] : []),
    ...subs,
  ]
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
