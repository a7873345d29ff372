import { Table } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'

/** Rows this far from the window are drawn. */
const NEAR = '1000px'

/**
 * One page of a long table. Far from the window an empty row of the same height replaces it, so that the number of
 * elements does not grow with the table. A page with an open row stays.
 */
export function WindowedRows({ columns, children }: { columns: number; children: ReactNode }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    const rows = body.current
    if (!rows) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting === true) setHeight(undefined)
        else if (!rows.querySelector('[aria-expanded=true]') && !rows.contains(document.activeElement))
          setHeight(rows.getBoundingClientRect().height || undefined)
      },
      { rootMargin: NEAR },
    )
    observer.observe(rows)
    return () => observer.disconnect()
  }, [])
  return (
    <Table.Tbody ref={body}>
      {height === undefined ? (
        children
      ) : (
        <tr aria-hidden className="windowed">
          <td colSpan={columns} ref={(cell) => cell?.style.setProperty('height', `${height}px`)} />
        </tr>
      )}
    </Table.Tbody>
  )
}
