/** The name of the program, wherever it was started. */
export const PROGRAM_NAME = 'questboard'

/** The name by which this program was started: `bin/questboard` and npm set variables. */
export function calledAs(environment: Record<string, string | undefined>): string {
  if (environment.QB_CALLED_AS) return environment.QB_CALLED_AS
  return environment.npm_lifecycle_event === 'npx' ? `npm exec ${PROGRAM_NAME} --` : PROGRAM_NAME
}

export const PROGRAM = calledAs(process.env)

/** A command to type, as it can be typed here. */
export const toType = (words: string): string => `\`${PROGRAM} ${words}\``

/** A message whose commands are named as everywhere else, with those that can be typed here. */
export const asTyped = (message: string, program = PROGRAM): string =>
  message.replaceAll('`questboard ', `\`${program} `)
