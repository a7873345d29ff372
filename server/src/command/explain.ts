import type { Command } from 'commander'
import { TokenInputError } from '../access/server-tokens.ts'
import { ApiError, type FieldProblem, SharedApiError } from '../errors.ts'
import { asTyped } from '../settings/called-as.ts'

/** Options whose names differ from their fields. */
const optionOf: Record<string, string> = {
  spaceIds: 'space',
  starboardIds: 'starboard',
  credentialIds: 'credential',
  redirectUris: 'redirectUri',
  allowedOrigins: 'origin',
  postLogoutRedirectUris: 'postLogoutRedirectUri',
  expiresAt: 'expires',
  endsAt: 'until',
  spaceId: 'space',
  sprintId: 'sprint',
  credentialId: 'credential',
  questId: 'quest',
}

/** The commands that list the ids of objects. */
const listOf: Record<string, string> = {
  Account: 'account list',
  App: 'app list',
  Ban: 'ban list',
  Delivery: 'webhook deliveries ID',
  Webhook: 'webhook list',
}

/**
 * Rewrites an error message for the command line: options instead of fields, and the command that lists existing
 * objects.
 * @param command the running command
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
  if (error instanceof SharedApiError) return inOptions(error.toApiError(), command)
  if (!(error instanceof ApiError)) return message
  const [, what] = /^(\w+) not found$/.exec(message) ?? []
  const list = what === undefined ? undefined : listOf[what]
  if (list !== undefined) return `No ${what?.toLowerCase()} has this id. \`questboard ${list}\` lists them.`
  const { field } = error
  if (field === undefined) return message
  const { problems } = error.details
  if (Array.isArray(problems) && problems.length > 1)
    return problems.map(({ field, message }: FieldProblem) => `${field} ${message}`).join('\n')
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

/** The values of the option; a list is split into its parts. */
function valuesOf(command: Command | undefined, field: string): string[] {
  const value: unknown = command?.opts()[attributeOf(field)]
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? value.split(',').map((text) => text.trim()) : []
}
