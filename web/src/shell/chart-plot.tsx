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

/** The position of the tooltip: the index of its time, and the distance from the left in pixels. */
interface Shown {
  place: number
  left: number
}

/** Draws a chart. A pointer or the arrow keys show the values of one time. */
export default function ChartPlot({ data, label, height }: ChartPlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const [shown, setShown] = useState<Shown>()
  const last = data.times.length - 1
  // JSON omits the functions, which are new in each render.
  const drawn = JSON.stringify(data)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const show = (chart: uPlot) => {
      const place = chart.cursor.idx ?? undefined
      const time = place === undefined ? undefined : data.times[place]
      if (place === undefined || time === undefined) setShown(undefined)
      else setShown({ place, left: chart.over.offsetLeft + chart.valToPos(time, 'x') })
    }
    const size = () => ({ width: element.clientWidth, height })
    const chart = new uPlot({ ...plotOptions(data), ...size(), hooks: { setCursor: [show] } }, plotData(data), element)
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
  }, [drawn, height])
  const showPlace = (place: number | undefined) => {
    const time = place === undefined ? undefined : data.times[place]
    plot.current?.setCursor(
      time === undefined ? { left: -1, top: -1 } : { left: plot.current.valToPos(time, 'x'), top: 0 },
    )
  }
  const move = (event: KeyboardEvent) => {
    const now = shown?.place ?? last + 1
    const place = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last, Escape: -1 }[event.key]
    if (place === undefined) return
    event.preventDefault()
    showPlace(event.key === 'Escape' ? undefined : Math.min(last, Math.max(0, place)))
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
        onBlur={() => showPlace(undefined)}
      />
      <ChartTooltip data={data} shown={shown} width={box.current?.clientWidth ?? 0} />
    </div>
  )
}
