import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { runs, runSource, type SourceKind, type StoredSource } from '../api/sources.ts'
import { queryClient } from '../api/session.ts'
import { Values } from '../explore/values.tsx'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { sources as texts } from '../texts/index.ts'
import { operator } from '../texts/operator-pages.ts'
import { kindName } from './source-texts.ts'

const { states } = operator.syncs
const colours = { waiting: 'gray', running: 'blue', done: 'teal', failed: 'red', held: 'yellow' }

interface SourceStatusProps {
  credentialId: string
  stored: StoredSource
  kind: SourceKind | undefined
  /** Whether the reader may confirm a held run. */
  mayConfirm: boolean
}

/** The stored source, and the results of its runs. */
export function SourceStatus({ credentialId, stored, kind, mayConfirm }: SourceStatusProps) {
  const { state, reason, failures, lastSuccessAt, lastRunAt, nextRunAt, host } = stored
  const lists = kind?.lists ?? false
  useReadAgain(credentialId, runs(stored))
  const run = useMutation({
    mutationFn: (options: { confirm: boolean }) => runSource(credentialId, options),
    onSuccess: () => toast(texts.started),
  })
  const failed = state === 'failed' || state === 'held'
  return (
    <Stack gap="sm" role="group" aria-label={texts.status}>
      <Values
        of={[
          [texts.kind, kindName(stored.kind ?? '')],
          [texts.host, host],
          [
            texts.state,
            lists && state !== null ? (
              <Badge variant="light" color={colours[state]} tt="none">
                {states[state]}
              </Badge>
            ) : null,
          ],
          [texts.lastSuccess, lists ? (lastSuccessAt === null ? texts.never : atTime(lastSuccessAt)) : null],
          [texts.lastFailure, lists && failed && lastRunAt !== null ? atTime(lastRunAt) : null],
          [texts.nextRun, lists && nextRunAt !== null ? atTime(nextRunAt) : null],
        ]}
      />
      {!lists && kind && <Text size="sm">{texts.filled.checks}</Text>}
      {lists && failed && reason !== null && (
        <Notice kind="warning" title={state === 'held' ? texts.held : operator.syncs.failures(failures, reason)}>
          {state === 'held' && (
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{reason}</Text>
              {mayConfirm ? (
                <ConfirmButton
                  label={operator.syncs.confirm}
                  question={operator.syncs.confirmQuestion(reason)}
                  onConfirm={() => run.mutate({ confirm: true })}
                />
              ) : (
                <Text size="sm">{texts.whoConfirms}</Text>
              )}
            </Stack>
          )}
        </Notice>
      )}
      <Fault error={run.error} />
      {lists && (
        <Group>
          <Button
            variant="default"
            size="xs"
            loading={run.isPending || state === 'running'}
            onClick={() => run.mutate({ confirm: false })}
          >
            {texts.run}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** After a run, the number of holders may have changed. */
function useReadAgain(credentialId: string, isRunning: boolean): void {
  const wasRunning = useRef(isRunning)
  useEffect(() => {
    if (wasRunning.current && !isRunning)
      void queryClient.invalidateQueries({ queryKey: ['content', 'credential', credentialId] })
    wasRunning.current = isRunning
  }, [credentialId, isRunning])
}
