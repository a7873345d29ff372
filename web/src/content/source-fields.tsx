import type { SourceField, SourceKind } from '../api/sources.ts'
import { sources as texts } from '../texts/index.ts'
import { type Draft, type Input, isShown, type StoredValues } from './source-draft.ts'
import { SourceFieldInput } from './source-field.tsx'
import type { SourceFaultAt } from './source-faults.ts'

interface SourceFieldsProps {
  kind: SourceKind
  draft: Draft
  stored: StoredValues
  faultAt: SourceFaultAt
  onChange: (path: string, value: Input) => void
}

/** Settings with a default that rarely change. */
const RARE = new Set([
  'mostRemoved',
  'invalid',
  'headers',
  'maxPages',
  'confirmations',
  'maxBlockRange',
  'delimiter',
  'timeoutMilliseconds',
  'cacheSeconds',
  'failuresBeforePause',
  'pauseSeconds',
])
const INTERVAL = 'everySeconds'

/** All settings of a kind: required ones first, and rare ones closed. */
export function SourceFields({ kind, draft, stored, faultAt, onChange }: SourceFieldsProps) {
  const shown = kind.fields.filter((field) => isShown(field, draft))
  const rare = shown.filter(({ path }) => RARE.has(path))
  const input = (field: SourceField) => (
    <SourceFieldInput
      key={field.path}
      kind={kind.kind}
      field={field}
      value={draft[field.path]}
      stored={stored[field.path]}
      error={faultAt(field.path)}
      onChange={(value) => onChange(field.path, value)}
    />
  )
  const isRefused = rare.some(({ path }) => faultAt(path) !== undefined)
  return (
    <>
      <div className="content-fields">{inOrder(shown.filter(({ path }) => !RARE.has(path))).map(input)}</div>
      {rare.length > 0 && (
        <details className="source-more" open={isRefused || undefined}>
          <summary>{texts.more}</summary>
          <div className="content-fields">{rare.map(input)}</div>
        </details>
      )}
    </>
  )
}

/** Required fields first, then optional ones and the interval; fields of a variant follow its choice. */
function inOrder(fields: readonly SourceField[]): SourceField[] {
  const place = ({ path, required }: SourceField) => (path === INTERVAL ? 2 : required ? 0 : 1)
  const own = fields.filter(({ variant }) => variant === null).toSorted((a, b) => place(a) - place(b))
  return own.flatMap((field) => [field, ...fields.filter(({ variant }) => variant?.of === field.path)])
}
