import { locale } from '../texts/index.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size such as `12 kB`, in the units of file managers. */
export function sizeOf(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const unit = UNITS[power] ?? 'byte'
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 }).format(
    bytes / 1000 ** power,
  )
}
