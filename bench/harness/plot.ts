import { escaped, PAPER, STYLE } from './picture.ts'
import { median } from './rounds.ts'

/** A curve: for every place on the horizontal axis what each round measured. */
export interface Curve {
  name: string
  points: readonly (readonly number[])[]
}

export interface Panel {
  /** The label of the vertical axis, with its unit. */
  title: string
  curves: readonly Curve[]
  /** The label and the places of its horizontal axis, if they are not those of the plot. */
  across?: string
  at?: readonly number[]
}

export interface Plot {
  title: string
  /** The label of the horizontal axis. */
  across: string
  /** Its places, drawn at equal ratios. */
  at: readonly number[]
  panels: readonly Panel[]
  /** How it was measured, in one line. */
  note: string
}

const WIDTH = 960
const HEIGHT = 400
const GAP = 70
const LEFT = 64
const RIGHT = 24
const TOP = 112
const BOTTOM = 76

/** Panels side by side over a logarithmic axis, each from zero: medians as a curve, ranges as bars. */
export function plot({ title, across, at, panels, note }: Plot): string {
  const width = (WIDTH - LEFT - RIGHT - GAP * (panels.length - 1)) / panels.length
  const drawn = panels.map((panel, index) => drawPanel(panel, LEFT + index * (width + GAP), width, panel.at ?? at))
  const heads = panels.map(
    (panel, index) =>
      `<text x="${LEFT + index * (width + GAP) + width / 2}" y="${HEIGHT - BOTTOM + 38}" text-anchor="middle">${escaped(panel.across ?? across)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
${STYLE}
${PAPER}
<text class="title" x="${LEFT}" y="32">${escaped(title)}</text>
${[...drawn, ...heads].join('\n')}
<text class="faint" x="${LEFT}" y="${HEIGHT - 12}">${escaped(note)}</text>
</svg>
`
}

function drawPanel({ title, curves }: Panel, left: number, width: number, at: readonly number[]): string {
  const bottom = HEIGHT - BOTTOM
  const most = Math.max(...curves.flatMap(({ points }) => points.flat()).filter(Number.isFinite))
  const step = niceStep(most)
  const top = Math.ceil(most / step) * step
  const [first = 1] = at
  const ratio = Math.log((at.at(-1) ?? first) / first) || 1
  const x = (value: number) => left + (width * Math.log(value / first)) / ratio
  const y = (value: number) => bottom - ((bottom - TOP) * value) / top
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => {
    const value = n * step
    return `<line class="grid" x1="${left}" x2="${left + width}" y1="${fixed(y(value))}" y2="${fixed(y(value))}"/><text class="faint" x="${left - 8}" y="${fixed(y(value) + 4)}" text-anchor="end">${value.toLocaleString('en')}</text>`
  })
  const ticks = at.map(
    (value) =>
      `<text class="faint" x="${fixed(x(value))}" y="${bottom + 18}" text-anchor="middle">${place(value)}</text>`,
  )
  const names = curves.map(({ name }, index) => legend(name, index, left))
  const drawn = curves.map(({ points }, index) => drawCurve(points, index, at, x, y))
  return [
    `<text class="head" x="${left}" y="66">${escaped(title)}</text>`,
    ...names,
    ...lines,
    ...ticks,
    ...drawn,
  ].join('\n')
}

function drawCurve(
  points: Curve['points'],
  index: number,
  at: readonly number[],
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const colour = `var(--c${index})`
  const medians = points.map((rounds, n) => `${fixed(x(at[n] as number))},${fixed(y(median(rounds)))}`)
  const bars = points.map((rounds, n) => {
    const across = fixed(x(at[n] as number))
    const [low, high] = [Math.min(...rounds), Math.max(...rounds)]
    return `<line x1="${across}" x2="${across}" y1="${fixed(y(low))}" y2="${fixed(y(high))}" stroke="${colour}" stroke-opacity="0.45" stroke-width="5"/>`
  })
  const dots = medians.map((place) => {
    const [across, up] = place.split(',')
    return `<circle cx="${across}" cy="${up}" r="3.5" fill="${colour}"/>`
  })
  return [...bars, `<polyline class="curve" stroke="${colour}" points="${medians.join(' ')}"/>`, ...dots].join('\n')
}

function legend(name: string, index: number, left: number): string {
  const x = left + index * 180
  return `<circle cx="${x + 4}" cy="84" r="4" fill="var(--c${index})"/><text class="faint" x="${x + 14}" y="88">${escaped(name)}</text>`
}

/** So that about five lines of whole numbers or halves cover the range. */
function niceStep(most: number): number {
  const rough = most / 5
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  return ([1, 2, 2.5, 5, 10].find((each) => each * magnitude >= rough) ?? 10) * magnitude
}

/** 1, 1,024, 10 k, 10 M. */
function place(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`
  return value >= 10_000 ? `${value / 1e3} k` : value.toLocaleString('en')
}

const fixed = (value: number) => value.toFixed(1)
