import { Command } from 'commander'
import type { Screen } from './progress.ts'

/** How this process prints; set from the options of the command that runs. */
let format = { json: false, quiet: false }

/**
 * A command whose actions print through this file. Every one accepts --json and --quiet, so scripts can rely on them.
 * A parent adds its commands with `command()`, which makes them of this class, too.
 */
export class OutputCommand extends Command {
  override createCommand(name?: string): Command {
    return new OutputCommand(name)
  }

  override action(run: Parameters<Command['action']>[0]): this {
    this.option('--json', 'print the result as one JSON document')
    this.option('--quiet', 'print results only: no hints, no confirmation, no progress')
    this.hook('preAction', (_, command) => {
      const { json = false, quiet = false } = command.opts<{ json?: boolean; quiet?: boolean }>()
      format = { json, quiet }
    })
    return super.action(run)
  }
}

interface ListLayout<Item> {
  /** Text of an empty list. */
  none: string
  lines: (item: Item) => string
  /** Fields for --json (default: the item itself). */
  record?: (item: Item) => unknown
}

/** Prints a list: an array as JSON. */
export function printList<Item>(items: readonly Item[], { none, lines, record }: ListLayout<Item>): void {
  if (format.json) return printJson(record === undefined ? items : items.map(record))
  if (items.length === 0) return printLine(none)
  for (const item of items) console.log(lines(item))
}

/** Prints what a command was asked for. */
export function printResult(record: unknown, text: string): void {
  if (format.json) printJson(record)
  else console.log(text)
}

/** Prints that a change was made; the exit status is enough with --quiet. */
export function printDone(record: unknown, text: string): void {
  if (format.json) printJson(record)
  else if (!format.quiet) console.log(text)
}

/** Prints a value that is shown only once: alone on standard output, so that a script can take it. */
export function printSecret(record: object, value: string, hints: string): void {
  if (format.json) return printJson(record)
  hint(hints)
  console.log(value)
}

/** Prints to standard error what a person may want to know. */
export function hint(text: string): void {
  if (!format.quiet) console.error(text)
}

/** Prints a line of a longer report; the report's record replaces it as JSON. */
export function printLine(text: string): void {
  if (!format.json && !format.quiet) console.log(text)
}

/** Where progress is shown. */
export function progressScreen(): Screen {
  return format.quiet ? { write: () => true } : process.stderr
}

/** Prints what a report of lines has shown, with --json only. */
export function printAsJson(record: unknown): void {
  if (format.json) printJson(record)
}

function printJson(record: unknown): void {
  console.log(JSON.stringify(record, null, 2))
}
