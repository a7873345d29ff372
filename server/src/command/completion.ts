import { Argument, type Command } from 'commander'
import { PROGRAM_NAME } from '../settings/called-as.ts'
import { OutputCommand, printResult } from './output.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/**
 * `questboard completion SHELL`: prints a static completion script.
 * @param load returns the program with all its commands
 */
export function completionCommand(load: () => Promise<Command>): Command {
  return new OutputCommand('completion')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(SHELLS))
    .action(async (shell: Shell) => {
      const words = completionsOf(await load())
      const script = scripts[shell](words)
      printResult({ shell, script }, script)
    })
}

/** The words that can follow a path of commands: subcommands, options and argument choices. */
export interface Completion {
  path: string
  words: { word: string; description: string }[]
}

export function completionsOf(command: Command, path: readonly string[] = []): Completion[] {
  const help = command.createHelp()
  const words = [
    ...help.visibleCommands(command).map((sub) => ({ word: sub.name(), description: help.subcommandDescription(sub) })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((word) => ({ word, description: '' })),
    ),
    ...help
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long === undefined || long === null ? [] : [{ word: long, description }])),
  ]
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((sub) => completionsOf(sub, [...path, sub.name()])),
  ]
}

/** The path is the typed commands up to the first option. If no word matches, files are completed. */
const scripts: Record<Shell, (completions: readonly Completion[]) => string> = {
  bash: (completions) => `# ${PROGRAM_NAME} completion for bash
_${PROGRAM_NAME}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case " ${pathsOf(completions)} " in *" \${path:+\${path}/}$word "*) path="\${path:+\${path}/}$word" ;; esac
  done
  local words=""
  case "$path" in
${completions.map(({ path, words }) => `    '${path.replaceAll(' ', '/')}') words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${PROGRAM_NAME} ${PROGRAM_NAME}`,

  zsh: (completions) => `#compdef ${PROGRAM_NAME}
_${PROGRAM_NAME}() {
  local at="" word
  local -a words_here
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ "$word" == -* ]] && break
    [[ " ${pathsOf(completions)} " == *" \${at:+$at/}$word "* ]] && at="\${at:+$at/}$word"
  done
  case "$at" in
${completions
  .map(({ path, words }) => {
    const described = words.map(
      ({ word, description }) => `'${quoted(`${word}:${description.replaceAll(':', '\\:')}`)}'`,
    )
    return `    '${path.replaceAll(' ', '/')}') words_here=(${described.join(' ')}) ;;`
  })
  .join('\n')}
  esac
  _describe '${PROGRAM_NAME}' words_here || _files
}
if [ "$funcstack[1]" = "_${PROGRAM_NAME}" ]; then _${PROGRAM_NAME} "$@"; else compdef _${PROGRAM_NAME} ${PROGRAM_NAME}; fi`,

  fish: (completions) => `# ${PROGRAM_NAME} completion for fish
function __${PROGRAM_NAME}_at
  set -l path
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    set -l next (string join / $path $word)
    contains -- $next ${pathsOf(completions)}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${completions
  .flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c ${PROGRAM_NAME} -n "__${PROGRAM_NAME}_at '${path.replaceAll(' ', '/')}'" ${what} -d '${quotedForFish(description)}'`
    }),
  )
  .join('\n')}`,
}

const pathsOf = (completions: readonly Completion[]) =>
  completions.flatMap(({ path }) => (path === '' ? [] : path.replaceAll(' ', '/'))).join(' ')

const quoted = (text: string) => text.replaceAll("'", `'\\''`)
const quotedForFish = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
