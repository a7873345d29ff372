import { TextInput } from '@mantine/core'
import { content as texts } from '../texts/index.ts'

interface TimeFieldProps {
  label: string
  description?: string
  /** RFC 3339, or null without a time. */
  value: string | null
  error: string | undefined
  onChange: (value: string | null) => void
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A moment, entered in the time zone of the browser. */
export function TimeField({ label, description, value, error, onChange }: TimeFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={[description, texts.zone(zone)].filter(Boolean).join(' ')}
      value={localOf(value)}
      error={error}
      onChange={({ currentTarget: { value: entered } }) =>
        onChange(entered === '' ? null : new Date(entered).toISOString())
      }
    />
  )
}

/** The value of the input: the local time without a zone, to the minute. */
function localOf(moment: string | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
