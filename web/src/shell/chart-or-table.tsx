import { SegmentedControl } from '@mantine/core'
import { shell } from '../texts/index.ts'

const t = shell.view

export type ChartForm = 'chart' | 'table'

interface ChartOrTableProps {
  form: ChartForm
  onChange: (form: ChartForm) => void
  size?: 'xs' | 'sm'
}

/** Shows the same numbers as a chart or as a table. */
export function ChartOrTable({ form, onChange, size = 'sm' }: ChartOrTableProps) {
  return (
    <SegmentedControl
      size={size}
      aria-label={t.label}
      value={form}
      onChange={onChange}
      data={[
        { value: 'chart', label: t.chart },
        { value: 'table', label: t.table },
      ]}
    />
  )
}
