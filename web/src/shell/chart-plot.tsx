import 'uplot/dist/uPlot.min.css'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import type { ChartData } from './chart-data.ts'
import { plotData, plotOptions } from './chart-options.ts'
import { ChartTooltip } from './chart-tooltip.tsx'

interface ChartPlotProps {
  data: ChartData
  label: string
  height: number
}

/** The position of the tooltip. */
interface Shown {
  /** An index of `data.times`. */
  index: number
  /** The distance from the left edge of the chart, in pixels. */
  left: number
}

/** Draws a chart. A pointer or the arrow keys show the values of one time. */
export default function ChartPlot({ data, label, height }: ChartPlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const [shown, setShown] = useState<Shown>()
  const last = data.times.length - 1
  // The effect compares the data as JSON. The functions in `data` are new in each render, and JSON omits them.
  const dataAsJson = JSON.stringify(data)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const updateTooltip = (chart: uPlot) => {
      const index = chart.cursor.idx ?? undefined
      const time = index === undefined ? undefined : data.times[index]
      if (index === undefined || time === undefined) setShown(undefined)
      else setShown({ index, left: chart.over.offsetLeft + chart.valToPos(time, 'x') })
    }
    const size = () => ({ width: element.clientWidth, height })
    const chart = new uPlot(
      { ...plotOptions(data), ...size(), hooks: { setCursor: [updateTooltip] } },
      plotData(data),
      element,
    )
    plot.current = chart
    const resize = new ResizeObserver(() => chart.setSize(size()))
    resize.observe(element)
    // A canvas does not follow the colours of the page.
    const recolour = new MutationObserver(() => chart.redraw(false, true))
    recolour.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
    return () => {
      resize.disconnect()
      recolour.disconnect()
      chart.destroy()
      setShown(undefined)
    }
  }, [dataAsJson, height])
  const moveCursor = (index: number | undefined) => {
    const time = index === undefined ? undefined : data.times[index]
    plot.current?.setCursor(
      time === undefined ? { left: -1, top: -1 } : { left: plot.current.valToPos(time, 'x'), top: 0 },
    )
  }
  const move = (event: KeyboardEvent) => {
    // If no tooltip is shown, both arrow keys select the newest time.
    const current = shown?.index ?? last + 1
    // Escape hides the tooltip. Its value -1 only marks it as a known key.
    const index = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last, Escape: -1 }[event.key]
    if (index === undefined) return
    event.preventDefault()
    moveCursor(event.key === 'Escape' ? undefined : Math.min(last, Math.max(0, index)))
  }
  return (
    <div className="chart-plot">
      <div
        ref={box}
        className="chart-canvas"
        role="img"
        tabIndex={0}
        aria-label={label}
        style={{ height }}
        onKeyDown={move}
        onBlur={() => moveCursor(undefined)}
      />
      <ChartTooltip data={data} shown={shown} width={box.current?.clientWidth ?? 0} />
    </div>
  )
}
