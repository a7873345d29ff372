import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { number } from './numbers.ts'

interface Row {
  line: number
  /** What is wrong: a field, or the text of the line. */
  subject: string | undefined
  reason: string
}

interface ProblemTableProps {
  label: string
  /** Above the table, such as that it has only the first problems. */
  lead: ReactNode
  titles: { line: string; subject: string; reason: string }
  rows: readonly Row[]
}

/** The refused lines of a file or a text. */
export function ProblemTable({ label, lead, titles, rows }: ProblemTableProps) {
  return (
    <div className="wide-table" tabIndex={0} role="group" aria-label={label}>
      {lead !== undefined && <Text size="sm">{lead}</Text>}
      <Table className="problem-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right" className="nowrap">
              {titles.line}
            </Table.Th>
            <Table.Th className="nowrap">{titles.subject}</Table.Th>
            <Table.Th>{titles.reason}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ line, subject, reason }, place) => (
            <Table.Tr key={place}>
              <Table.Td ta="right" className="nowrap">
                {number(line)}
              </Table.Td>
              <Table.Td className="mono problem-subject">{subject}</Table.Td>
              <Table.Td>{reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
