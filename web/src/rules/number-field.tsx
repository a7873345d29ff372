import { NumberInput } from '@mantine/core'

interface NumberFieldProps {
  label: string
  description?: string
  value: number | undefined
  error: string | undefined
  onChange: (value: number | undefined) => void
  decimals?: number
  required?: boolean
}

/** A number; undefined while the field is empty. The service checks its range. */
export function NumberField({ value, onChange, decimals = 0, ...field }: NumberFieldProps) {
  return (
    <NumberInput
      {...field}
      value={value ?? ''}
      onChange={(entered) => onChange(entered === '' || entered === '-' ? undefined : Number(entered))}
      allowDecimal={decimals > 0}
      decimalScale={decimals}
    />
  )
}
