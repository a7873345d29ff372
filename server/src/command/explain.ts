import type { Command } from 'commander'
import { TokenInputError } from '../access/server-tokens.ts'
import { ApiError } from '../api/api-error.ts'
import { asTyped } from './called-as.ts'

/** Fields whose option has another name; the others are called alike. */
const optionOf: Record<string, string> = {
  spaceIds: 'space',
  starboardIds: 'starboard',
  credentialIds: 'credential',
  redirectUris: 'redirectUri',
  allowedOrigins: 'origin',
  expiresAt: 'expires',
}

/** What shows the ids that there are. */
const listOf: Record<string, string> = {
  Account: 'account list',
  App: 'app list',
  Delivery: 'webhook deliveries ID',
  Webhook: 'webhook list',
}

/**
 * The message of an error in the words of the command line: options in place of the fields of a request, and the command
 * that lists what was not found.
 * @param command the one that was running
 */
export function explain(error: Error, command: Command | undefined): string {
  return asTyped(inOptions(error, command))
}

function inOptions(error: Error, command: Command | undefined): string {
  const { message } = error
  if (error instanceof TokenInputError) {
    const option = flagOf(command, error.field)
    return option === undefined ? message : `${option}: ${message}`
  }
  if (!(error instanceof ApiError)) return message
  const [, what] = /^(\w+) not found$/.exec(message) ?? []
  const list = what === undefined ? undefined : listOf[what]
  if (list !== undefined) return `There is no ${what?.toLowerCase()} of this id. \`questboard ${list}\` shows them.`
  const { field } = error
  if (field === undefined) return message
  const [name = '', place] = field.split('.')
  const option = flagOf(command, name)
  if (option === undefined || !message.startsWith(`${field} `)) return message
  const which =
    place === undefined || valuesOf(command, name).length < 2 ? option : `${option}, number ${Number(place) + 1},`
  const rest = message.slice(field.length)
  const typed = /^ must be one of\b/.test(rest) ? valuesOf(command, name)[Number(place ?? 0)] : undefined
  const instead = typed === undefined ? '' : `, not "${typed}"`
  return which + rest.replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (word) => flagOf(command, word) ?? word) + instead
}

const attributeOf = (field: string) => optionOf[field] ?? field

function flagOf(command: Command | undefined, field: string): string | undefined {
  return command?.options.find((option) => option.attributeName() === attributeOf(field))?.long ?? undefined
}

/** What was typed for it, the parts of a list each. */
function valuesOf(command: Command | undefined, field: string): string[] {
  const value: unknown = command?.opts()[attributeOf(field)]
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? value.split(',').map((text) => text.trim()) : []
}
