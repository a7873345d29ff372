import { Stack, Text } from '@mantine/core'
import type { SourceKind, Trial } from '../api/sources.ts'
import { Notice } from '../shell/notice.tsx'
import { sources as texts } from '../texts/index.ts'

interface SourceTrialProps {
  kind: SourceKind
  trial: Trial
  /** The address that was tested, for kinds without a list. */
  address: string
}

/** The result of a test, which stored nothing. */
export function SourceTrial({ kind, trial, address }: SourceTrialProps) {
  const { works, message, read, invalid, complete, holds, entries } = trial
  if (!works) return <Notice kind="fault" title={texts.failed(message ?? '')} />
  if (!kind.lists) {
    const result = holds === null ? 'undecided' : holds ? 'holds' : 'holdsNot'
    return <Notice kind={holds === null ? 'warning' : 'good'} title={texts.results[result](address)} />
  }
  return (
    <Notice kind={read === 0 || invalid > 0 ? 'warning' : 'good'} title={texts.found(read, complete)}>
      <Stack gap="xs">
        {invalid > 0 && <Text size="sm">{texts.invalid(invalid)}</Text>}
        {entries.length > 0 && (
          <>
            <Text size="sm">{texts.first(entries.length)}</Text>
            <ol className="source-entries" tabIndex={0} aria-label={texts.first(entries.length)}>
              {entries.map(({ entry, holder }, place) => (
                <li key={place}>
                  <span className="mono">{holder ?? entry}</span>
                  {holder === null && <strong className="bad"> · {texts.notValid}</strong>}
                </li>
              ))}
            </ol>
          </>
        )}
      </Stack>
    </Notice>
  )
}
