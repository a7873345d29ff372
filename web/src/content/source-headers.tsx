import { Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { useId } from 'react'
import { sources as texts } from '../texts/index.ts'
import type { HeaderInput } from './source-draft.ts'

interface SourceHeadersProps {
  label: string
  description: string | undefined
  error: string | undefined
  headers: readonly HeaderInput[]
  onChange: (headers: HeaderInput[]) => void
}

/** The headers of requests. Values that are stored are hidden, and kept while their field is empty. */
export function SourceHeaders({ label, description, error, headers, onChange }: SourceHeadersProps) {
  const listId = useId()
  const change = (place: number, part: Partial<HeaderInput>) =>
    onChange(headers.map((header, n) => (n === place ? { ...header, ...part } : header)))
  return (
    <Group className="content-wide" gap="xs" role="group" aria-label={label}>
      <div className="source-headers">
        <strong>{label}</strong>
        {description !== undefined && <span className="source-help">{description}</span>}
        {error !== undefined && (
          <span className="bad" role="alert">
            {error}
          </span>
        )}
      </div>
      <ul id={listId} className="content-entries">
        {headers.map(({ name, value, stored }, place) => (
          <li key={place} className="content-line">
            <TextInput
              label={texts.headerName(place + 1)}
              value={name}
              placeholder="authorization"
              onChange={(event) => change(place, { name: event.currentTarget.value, stored: false })}
              autoComplete="off"
              spellCheck={false}
            />
            <PasswordInput
              label={texts.headerValue(place + 1)}
              value={value}
              placeholder={stored ? texts.stored : 'Bearer …'}
              onChange={(event) => change(place, { value: event.currentTarget.value })}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': texts.show(texts.headerValue(place + 1)) }}
            />
            <Button
              variant="default"
              size="sm"
              aria-label={texts.removeHeader(place + 1)}
              onClick={() => onChange(headers.filter((_, n) => n !== place))}
            >
              {texts.remove}
            </Button>
          </li>
        ))}
      </ul>
      <Button
        variant="default"
        size="xs"
        aria-controls={listId}
        onClick={() => onChange([...headers, { name: '', value: '', stored: false }])}
      >
        {texts.addHeader}
      </Button>
    </Group>
  )
}
