import { SegmentedControl } from '@mantine/core'

export type ChartForm = 'chart' | 'table'

interface ChartOrTableProps {
  form: ChartForm
  onChange: (form: ChartForm) => void
  texts: { show: string; chart: string; table: string }
  size?: 'xs' | 'sm'
}

/** The same numbers to look at or to read. */
export function ChartOrTable({ form, onChange, texts, size = 'sm' }: ChartOrTableProps) {
  return (
    <SegmentedControl
      size={size}
      aria-label={texts.show}
      value={form}
      onChange={onChange}
      data={[
        { value: 'chart', label: texts.chart },
        { value: 'table', label: texts.table },
      ]}
    />
  )
}
