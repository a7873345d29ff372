/** Fields that a sentence has in another place, or that nobody reads at a terminal. */
const ELSEWHERE = new Set(['level', 'time', 'msg', 'err', 'worker'])
const WARNING = 40
const ERROR = 50

interface Line {
  level: number
  time: string
  msg?: string
  worker?: number
  err?: { message?: string; stack?: string }
}

/** Whether whoever reads the log sits at a terminal: a collector of a container's terminal gets JSON in production. */
export const isForPeople = (stream: { isTTY?: boolean }, production = false): boolean =>
  stream.isTTY === true && !production

/** What would move the cursor or begin a line of its own, as whoever sends a request may want it. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
const printable = (text: string): string =>
  text.replace(CONTROL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A line of the log as a sentence, with what it tells besides behind it; the stack only where something is broken. */
export function sentence(json: string): string {
  const line = JSON.parse(json) as Line
  const { level, time, msg = '', worker, err } = line
  const facts = Object.entries(line)
    .filter(([name, value]) => !ELSEWHERE.has(name) && value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${inShort(value)}`)
  if (worker) facts.push(`worker ${worker}`)
  const weight = level >= ERROR ? 'Error: ' : level >= WARNING ? 'Warning: ' : ''
  const says = weight === '' ? msg.charAt(0).toUpperCase() + msg.slice(1) : weight + msg
  const why = err?.message === undefined ? '' : `: ${err.message}`
  const frames = level >= ERROR && err?.stack !== undefined ? err.stack.split('\n') : []
  const stack = frames.map((frame) => `\n${printable(frame)}`).join('')
  const clock = new Date(time).toTimeString().slice(0, 8)
  const whole = `${says}${why}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  return `${clock}  ${printable(whole)}.${stack}\n`
}

/** A long list is counted. */
function inShort(value: unknown): string {
  if (Array.isArray(value) && value.length > 3) return `${value.length} of them`
  return typeof value === 'string' ? value : JSON.stringify(value)
}
