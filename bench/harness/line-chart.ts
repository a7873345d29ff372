import { escaped, PAPER, STYLE } from './picture.ts'

/** One curve, drawn in a separate strip. */
export interface Curve {
  title: string
  unit: string
  values: readonly number[]
}

const WIDTH = 900
const STRIP = 150
const LEFT = 90
const TOP = 40

/** Curves over the same time, one below the other, each from zero to its largest value. */
export function lineChart(title: string, minutes: number, curves: readonly Curve[]): string {
  const height = TOP + curves.length * STRIP + 30
  const strips = curves.map((curve, index) => strip(curve, TOP + index * STRIP))
  const ticks = Array.from({ length: 7 }, (_, n) => {
    const x = LEFT + ((WIDTH - LEFT - 20) * n) / 6
    return `<text class="faint" x="${x.toFixed(1)}" y="${height - 8}" text-anchor="middle">${((minutes * n) / 6).toFixed(minutes < 6 ? 1 : 0)} min</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
${PAPER}
<text class="title" x="${LEFT}" y="22">${escaped(title)}</text>
${[...strips, ...ticks].join('\n')}
</svg>
`
}

function strip({ title, unit, values }: Curve, top: number): string {
  const bottom = top + STRIP - 30
  const most = Math.max(...values, Number.MIN_VALUE)
  const points = values.map((value, index) => {
    const x = LEFT + ((WIDTH - LEFT - 20) * index) / Math.max(1, values.length - 1)
    return `${x.toFixed(1)},${(bottom - ((bottom - top - 20) * value) / most).toFixed(1)}`
  })
  return `<text class="head" x="${LEFT}" y="${top + 12}">${escaped(title)}</text>
<line class="grid" x1="${LEFT}" y1="${bottom}" x2="${WIDTH - 20}" y2="${bottom}"/>
<text class="faint" x="${LEFT - 8}" y="${bottom + 4}" text-anchor="end">0</text>
<text class="faint" x="${LEFT - 8}" y="${top + 24}" text-anchor="end">${most >= 100 || Number.isInteger(most) ? Math.round(most) : most.toFixed(1)} ${escaped(unit)}</text>
<polyline class="curve" stroke="var(--c0)" points="${points.join(' ')}"/>`
}
