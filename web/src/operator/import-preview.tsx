import { Table } from '@mantine/core'
import type { Preview } from '../api/imports.ts'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { imports as t } from '../texts/operator-pages.ts'

/** The first rows of a file. Columns that are not fields of its kind are marked. */
export function ImportPreview({ preview: { columns, rows } }: { preview: Preview }) {
  return (
    <Section title={t.preview}>
      <div className="wide-table" tabIndex={0} role="group" aria-label={t.preview}>
        <Table>
          {columns.length > 0 && (
            <Table.Thead>
              <Table.Tr>
                <Table.Th ta="right" className="nowrap">
                  {t.line}
                </Table.Th>
                {columns.map(({ name, known }, place) => (
                  <Table.Th key={place} className={known ? 'mono nowrap' : 'mono nowrap bad'}>
                    {name}
                    {!known && <div className="preview-fault">{t.unknownColumn}</div>}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
          )}
          <Table.Tbody>
            {rows.map(({ line, values }) => (
              <Table.Tr key={line}>
                <Table.Td ta="right" c="dimmed">
                  {number(line)}
                </Table.Td>
                {values.map((value, place) => (
                  <Table.Td key={place} className="preview-value" title={value}>
                    {value}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  )
}
