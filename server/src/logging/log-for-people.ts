import { prettyFactory } from 'pino-pretty'

/** True if a person reads the stream. A container's terminal is read by a log collector, which gets JSON. */
export const isForPeople = (stream: { isTTY?: boolean }, production = false): boolean =>
  stream.isTTY === true && !production

/** Control characters that could move the cursor or start a line. Stacks keep their line breaks. */
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
const escapeControlCharacters = (name: string, value: unknown): unknown =>
  typeof value === 'string'
    ? value.replace(CONTROL_CHARACTERS, (character) =>
        character === '\n' && name === 'stack'
          ? character
          : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : value

/**
 * Formats log lines for a terminal. Clients choose some of the values, so control characters are escaped.
 * @param colorize - whether the terminal shows colours
 * @returns a function from one line of JSON to text that ends with a line break
 */
export function createLineFormatter(colorize: boolean): (json: string) => string {
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true })
  return (json) => format(JSON.parse(json, escapeControlCharacters))
}
