import './chart.css'
import { Skeleton, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type ChartData, colourOf, drawnSeries } from './chart-data.ts'
import { type ChartForm, ChartOrTable } from './chart-or-table.tsx'
import { ChartTable } from './chart-table.tsx'

/** In pixels, the height of a chart, so that the page does not move when it appears. */
const HEIGHT = 240

const ChartPlot = lazy(() =>
  import('./chart-plot.tsx').catch(() => ({ default: ({ data }: { data: ChartData }) => <ChartTable data={data} /> })),
)

interface ChartProps {
  data: ChartData
  /** The description of the chart for screen readers. */
  label: string
  /** Shown if the chart has no series. */
  empty?: string
  /** A title, or fields that choose what is shown. */
  children?: ReactNode
}

/** Numbers over time as a chart, or as a table. The library of the chart is loaded with the first chart. */
export function Chart({ data, label, empty, children }: ChartProps) {
  const [form, setForm] = useState<ChartForm>('chart')
  return (
    <div className="chart">
      <div className="chart-head">
        {children}
        {data.series.length > 0 && <ChartOrTable size="xs" form={form} onChange={setForm} />}
      </div>
      {data.series.length === 0 ? (
        <Text mt="md">{empty}</Text>
      ) : form === 'chart' ? (
        <figure>
          <Suspense fallback={<Skeleton height={HEIGHT} />}>
            <ChartPlot data={data} label={label} height={HEIGHT} />
          </Suspense>
          <Legend data={data} />
        </figure>
      ) : (
        <ChartTable data={data} />
      )}
    </div>
  )
}

function Legend({ data }: { data: ChartData }) {
  const { form, format, total } = data
  const drawn = drawnSeries(data)
  if (drawn.length < 2 && total === undefined) return null
  return (
    <ul className="chart-legend">
      {drawn
        .map((one, place) => ({ ...one, colour: colourOf(one, place) }))
        .map(({ name, values, colour }) => (
          <li key={name}>
            <span className={`chart-mark ${form} series-${colour}`} aria-hidden /> {name}
            {total !== undefined && ` ${format(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}`}
          </li>
        ))}
    </ul>
  )
}
