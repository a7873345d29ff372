/** A sequence diagram: the messages between participants, in order. */
export interface Sequence {
  title: string
  actors: readonly string[]
  /** `[from, to, text]`, or `[actor, text]` for what happens inside; lines of a text are separated by `\n`. */
  steps: readonly (readonly [string, string, string] | readonly [string, string])[]
}

const COLUMN = 250
const MARGIN = 150
const LINE = 17
const HEAD = 92
const FONT = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif'
const ink = '#1f2933'
const soft = '#9aa5b1'
const accent = '#2f6f9f'

/** The diagram as SVG that stands by itself: on white, so that it can be read on a dark page too. */
export function sequencePicture({ title, actors, steps }: Sequence): string {
  const x = (actor: string) => MARGIN + COLUMN * indexOf(actors, actor)
  const parts: string[] = []
  let y = HEAD
  for (const step of steps) {
    const [from, to, text] = step.length === 3 ? step : [step[0], step[0], step[1]]
    const lines = text.split('\n')
    y += LINE * lines.length + 14
    parts.push(from === to ? note(x(from), y, lines) : arrow(x(from), x(to), y, lines))
  }
  const width = 2 * MARGIN + COLUMN * (actors.length - 1)
  const height = y + 30
  const lifelines = actors.map((actor) => lifeline(x(actor), height - 16, actor))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family='${FONT}' font-size="13">
  <rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>
  <text x="16" y="26" font-size="15" font-weight="600" fill="${ink}">${escaped(title)}</text>
${[...lifelines, ...parts].map((part) => `  ${part}`).join('\n')}
</svg>
`
}

function lifeline(x: number, bottom: number, actor: string): string {
  const half = Math.max(48, actor.length * 4 + 14)
  return [
    `<line x1="${x}" y1="70" x2="${x}" y2="${bottom}" stroke="${soft}" stroke-dasharray="3 4"/>`,
    `<rect x="${x - half}" y="44" width="${2 * half}" height="28" rx="6" fill="#eef3f8" stroke="${accent}"/>`,
    `<text x="${x}" y="63" text-anchor="middle" font-weight="600" fill="${ink}">${escaped(actor)}</text>`,
  ].join('\n  ')
}

function arrow(from: number, to: number, y: number, lines: readonly string[]): string {
  const way = to > from ? 1 : -1
  const tip = to - way * 3
  const head = `${tip},${y} ${tip - way * 9},${y - 5} ${tip - way * 9},${y + 5}`
  return [
    `<line x1="${from}" y1="${y}" x2="${tip - way * 6}" y2="${y}" stroke="${accent}" stroke-width="1.6"/>`,
    `<polygon points="${head}" fill="${accent}"/>`,
    ...texts((from + to) / 2, y - 7, lines, ink, true),
  ].join('\n  ')
}

function note(x: number, y: number, lines: readonly string[]): string {
  const width = Math.max(...lines.map((line) => line.length)) * 7.2 + 20
  if (width > 2 * MARGIN)
    throw new Error(`the lines of ${JSON.stringify(lines)} are too long for the edge of a picture`)
  const height = LINE * lines.length + 8
  return [
    `<rect x="${x - width / 2}" y="${y - height + 4}" width="${width}" height="${height}" rx="5" fill="#fff8e1" stroke="#d9b441"/>`,
    ...texts(x, y - 4, lines, ink, false),
  ].join('\n  ')
}

/** Centred lines, the last one at `y`; with a white edge where a lifeline may pass behind them. */
function texts(x: number, y: number, lines: readonly string[], fill: string, edged: boolean): string[] {
  const edge = edged ? ' stroke="#ffffff" stroke-width="4" paint-order="stroke"' : ''
  return lines.map(
    (line, n) =>
      `<text x="${x}" y="${y - LINE * (lines.length - 1 - n)}" text-anchor="middle" fill="${fill}"${edge}>${escaped(line)}</text>`,
  )
}

function indexOf(actors: readonly string[], actor: string): number {
  const index = actors.indexOf(actor)
  if (index < 0) throw new Error(`the picture has no actor ${actor}`)
  return index
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
