import { Table } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'
import { type ChartData, totalAt } from './chart-data.ts'

const NONE = '–'

/** The numbers of a chart, the newest first. Times without any value are left out. */
export function ChartTable({ data }: { data: ChartData }) {
  const { times, series, timeTitle, formatTime, format, total } = data
  const rows = times
    .map((time, place) => ({ time, place }))
    .filter(({ place }) => series.some(({ values }) => (values[place] ?? 0) !== 0))
  return (
    <div className="wide-table chart-table" tabIndex={0} role="group" aria-label={texts.view.table}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{timeTitle}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
            {total !== undefined && <Table.Th ta="right">{total}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.reverse().map(({ time, place }) => (
            <Table.Tr key={time}>
              <Table.Th scope="row" className="nowrap">
                {formatTime(time)}
              </Table.Th>
              {series.map(({ name, values }) => {
                const value = values[place] ?? null
                return (
                  <Table.Td key={name} ta="right">
                    {value === null ? NONE : format(value)}
                  </Table.Td>
                )
              })}
              {total !== undefined && <Table.Td ta="right">{format(totalAt(data, place))}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
