import { TextInput } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'
import { INCOMPLETE, localOf, momentIn } from './moment.ts'

interface TimeFieldProps {
  label: string
  description?: string
  /** RFC 3339, null without a time, or the text of an invalid entry, which the service refuses. */
  value: string | null
  error: string | undefined
  onChange: (value: string | null) => void
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A moment, entered in the time zone of the browser. */
export function TimeField({ label, description, value, error, onChange }: TimeFieldProps) {
  const isInvalid = value !== null && Number.isNaN(Date.parse(value))
  const read = ({ value: entered, validity }: HTMLInputElement) => {
    const isIncomplete = entered === '' && validity.badInput
    // The field has no seconds, so an unchanged entry keeps those of the value.
    if (entered !== localOf(value) || isIncomplete !== (value === INCOMPLETE)) onChange(momentIn(entered, isIncomplete))
  }
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={[description, texts.zone(zone)].filter(Boolean).join(' ')}
      value={localOf(value)}
      max="9999-12-31T23:59"
      error={isInvalid ? texts.badTime : error}
      onChange={({ currentTarget }) => read(currentTarget)}
      // A date that is only half entered changes no value.
      onKeyUp={({ currentTarget }) => read(currentTarget)}
      onBlur={({ currentTarget }) => read(currentTarget)}
    />
  )
}
