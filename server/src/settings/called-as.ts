export const PROGRAM_NAME = 'questboard'

/**
 * The command that started this program, or that a user of this service can type; `bin/questboard` and npm set
 * variables.
 */
export function calledAs(environment: Record<string, string | undefined>): string {
  if (environment.QB_CALLED_AS) return environment.QB_CALLED_AS
  if (environment.npm_lifecycle_event === 'npx') return `npm exec ${PROGRAM_NAME} --`
  return environment.npm_lifecycle_event === 'start' ? `bin/${PROGRAM_NAME}` : PROGRAM_NAME
}

export const PROGRAM = calledAs(process.env)

/** A command in a message, as the user can type it. */
export const toType = (words: string): string => `\`${PROGRAM} ${words}\``

/** The description of an argument whose value another command prints. */
export const idFrom = (words: string): string => `the id that ${toType(words)} prints`

/** Replaces the program name in a message with the command that started the program. */
export const asTyped = (message: string, program = PROGRAM): string =>
  message.replaceAll('`questboard ', `\`${program} `)
