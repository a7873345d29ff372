import { Checkbox, NativeSelect, NumberInput, PasswordInput, Textarea, TextInput } from '@mantine/core'
import type { SourceField } from '../api/sources.ts'
import { Picker } from '../pickers/picker.tsx'
import { credentials } from '../pickers/source.ts'
import { sources as texts } from '../texts/index.ts'
import { type Input, isShare } from './source-draft.ts'
import { exampleOf } from './source-examples.ts'
import { SourceHeaders } from './source-headers.tsx'
import { fieldText } from './source-texts.ts'

interface SourceFieldProps {
  kind: string
  field: SourceField
  value: Input
  /** The host of a stored URL, or an empty text; undefined if nothing is stored. */
  stored: string | undefined
  error: string | undefined
  onChange: (value: Input) => void
}

const LONG_TEXT = 5_000
const INTERVALS = [300, 900, 3_600, 21_600, 43_200, 86_400, 604_800]

export function SourceFieldInput(props: SourceFieldProps) {
  const { kind, field, value, stored, error, onChange } = props
  const { label, help } = fieldText(kind, field.path)
  const example = exampleOf(kind, field.path)
  const description = [help, field.variant === null && field.required ? undefined : optional(field, help)]
  const common = {
    label,
    error,
    description: description.filter(Boolean).join(' ') || undefined,
    required: field.required,
  }
  const text = typeof value === 'string' ? value : ''
  switch (field.type) {
    case 'flag':
      return (
        <Checkbox
          className="content-wide"
          label={label}
          description={help}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      if (field.path === 'everySeconds')
        return <Interval {...common} seconds={Number(value ?? field.default)} onChange={onChange} />
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          placeholder={example}
          onChange={(entered) => onChange(entered === '' || entered === '-' ? undefined : Number(entered))}
          allowDecimal={isShare(field)}
          thousandSeparator={false}
          suffix={isShare(field) ? ' %' : ''}
        />
      )
    case 'choice':
    case 'variants':
      return (
        <NativeSelect
          {...common}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          data={[
            // Without a value, a field with a default gets the default. Therefore only other fields can be empty.
            ...(text !== '' && (field.required || field.default !== null)
              ? []
              : [
                  { value: '', label: texts.choices[`${field.path}.`] ?? (field.required ? texts.choose : texts.none) },
                ]),
            ...field.choices.map((choice) => ({
              value: choice,
              label: texts.choices[`${field.path}.${choice}`] ?? texts.choices[choice] ?? choice,
            })),
          ]}
        />
      )
    case 'headers':
      return <SourceHeaders {...common} headers={Array.isArray(value) ? value : []} onChange={onChange} />
    case 'lines':
    case 'json':
      return <LongText {...common} value={text} example={example} onChange={onChange} />
    case 'text':
      if (field.path === 'nativeOfHoldersOf')
        return (
          <Picker
            {...common}
            single
            source={credentials}
            value={text === '' ? [] : [text]}
            onChange={([id = '']) => onChange(id)}
          />
        )
      if ((field.maxLength ?? 0) > LONG_TEXT)
        return <LongText {...common} value={text} example={example} onChange={onChange} />
      return <Text {...common} field={field} value={text} stored={stored} example={example} onChange={onChange} />
  }
}

/** Returns “Optional.” for an optional field without help text or default. */
const optional = (field: SourceField, help: string | undefined) =>
  help === undefined && !field.required && (field.default === null || field.default === '') ? texts.optional : undefined

interface TextProps {
  label: string
  description: string | undefined
  error: string | undefined
  required: boolean
  value: string
  example: string | undefined
  onChange: (value: string) => void
}

function LongText({ example, onChange, ...field }: TextProps) {
  return (
    <Textarea
      {...field}
      className="content-wide"
      classNames={{ input: 'mono' }}
      placeholder={example}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      autoComplete="off"
    />
  )
}

function Text({
  field: { path, writeOnly, maxLength },
  stored,
  example,
  onChange,
  ...input
}: TextProps & { field: SourceField; stored: string | undefined }) {
  const isUrl = /url$/i.test(path)
  const isKey = writeOnly && !isUrl
  const common = {
    ...input,
    className: isUrl || (maxLength ?? 0) > 500 ? 'content-wide' : undefined,
    placeholder: stored === undefined ? example : stored === '' ? texts.stored : texts.storedAt(stored),
    // A stored value is kept while the field is empty.
    required: input.required && stored === undefined,
    onChange: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
    spellCheck: false,
  }
  if (isKey)
    return (
      <PasswordInput
        {...common}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': texts.show(input.label) }}
      />
    )
  return <TextInput {...common} autoComplete="off" />
}

function Interval({
  seconds,
  onChange,
  ...field
}: Omit<TextProps, 'value' | 'example' | 'onChange'> & { seconds: number; onChange: (seconds: number) => void }) {
  const choices = [...new Set([...INTERVALS, seconds])].toSorted((a, b) => a - b)
  return (
    <NativeSelect
      {...field}
      required={false}
      value={String(seconds)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      data={choices.map((value) => ({
        value: String(value),
        label: texts.intervals[value] ?? texts.interval(value),
      }))}
    />
  )
}
