import { Command, type Help, type Option } from 'commander'

interface OutputOptions {
  json?: boolean
  quiet?: boolean
}

/** The output options of the running command. */
let format = { json: false, quiet: false }

/** The description of `--after` for lists whose pages end with a hint. */
export const AFTER_DESCRIPTION =
  'continue after this position, from the last line of the previous output: `More: --after POSITION`'

/**
 * A command whose actions print through this file, so that all commands accept --json and --quiet. `command()` creates
 * subcommands of this class too.
 */
export class OutputCommand extends Command {
  override createCommand(name?: string): Command {
    return new OutputCommand(name)
  }

  /** Options say that they are required. Empty defaults, such as [], are not printed. */
  override createHelp(): Help {
    const help = super.createHelp()
    const describe = help.optionDescription.bind(help)
    help.optionDescription = (option) => {
      const shown = isEmpty(option.defaultValue) ? withoutDefault(option) : option
      return `${option.mandatory ? 'required; ' : ''}${describe(shown)}`
    }
    return help
  }

  /** @param run gets only the other options, because some commands accept no unknown field */
  override action(run: Parameters<Command['action']>[0]): this {
    this.option('--json', 'print the result as one JSON document')
    this.option('--quiet', 'omit hints, progress and confirmations')
    this.hook('preAction', (_, command) => {
      const { json = false, quiet = false } = command.opts<OutputOptions>()
      format = { json, quiet }
    })
    return super.action((...given: unknown[]) => {
      const options: OutputOptions = { ...(given.at(-2) as object) }
      delete options.json
      delete options.quiet
      return run.call(this, ...given.slice(0, -2), options, this)
    })
  }
}

function isEmpty(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0
  return value === '' || value === false || (Array.isArray(value) && value.length === 0)
}

const withoutDefault = (option: Option): Option =>
  Object.assign(Object.create(Object.getPrototypeOf(option) as object) as Option, option, { defaultValue: undefined })

interface ListLayout<Item> {
  /** Printed for an empty list. */
  none: string
  lines: (item: Item) => string
  /** The JSON of an item; default: the item itself. */
  record?: (item: Item) => unknown
}

export function printList<Item>(items: readonly Item[], { none, lines, record }: ListLayout<Item>): void {
  if (format.json) return printJson(record === undefined ? items : items.map(record))
  if (items.length === 0) return printLine(none)
  for (const item of items) console.log(lines(item))
}

export function printResult(record: unknown, text: string): void {
  if (format.json) printJson(record)
  else console.log(text)
}

/** Prints the confirmation of a change; omitted with --quiet. */
export function printDone(record: unknown, text: string): void {
  if (format.json) printJson(record)
  else if (!format.quiet) console.log(text)
}

/** Prints a secret that is shown once, alone on standard output for use in scripts. */
export function printSecret(record: object, value: string, hints: string): void {
  if (format.json) return printJson(record)
  hint(hints)
  console.log(value)
}

/** Prints a hint for humans to standard error. */
export function hint(text: string): void {
  if (!format.quiet) console.error(text)
}

/** Prints a line of a report; with --json the report's record replaces it. */
export function printLine(text: string): void {
  if (!format.json && !format.quiet) console.log(text)
}

/** The output for progress: one redrawn line on a terminal, otherwise occasional lines. */
export interface Screen {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

/** The stream for progress output. */
export function progressScreen(): Screen {
  return format.quiet ? { write: () => true } : process.stderr
}

/** With --json, prints the record of a report that was printed in lines. */
export function printAsJson(record: unknown): void {
  if (format.json) printJson(record)
}

function printJson(record: unknown): void {
  console.log(JSON.stringify(record, null, 2))
}
