import { Stack } from '@mantine/core'
import type { FileImport } from '../api/imports.ts'
import { messageOf } from './import-message.ts'
import { describeFault } from '../shell/describe-fault.ts'
import { Notice } from '../shell/notice.tsx'
import { ProblemTable } from '../shell/problem-table.tsx'
import { imports as t } from '../texts/operator-pages.ts'

/** The reasons why a file was not stored, line by line. */
export function ImportProblems({ one }: { one: FileImport }) {
  const { state, problems, problemCount } = one
  const message = messageOf(one)
  if (state === 'cancelled' || state === 'expired')
    return <Notice kind="warning" title={state === 'expired' ? t.expiredHelp : t.cancelledHelp} />
  if (state === 'failed')
    return (
      <Notice kind="fault" title={t.failed}>
        {message}
      </Notice>
    )
  if (state !== 'refused') return null
  return (
    <Stack gap="sm">
      <Notice kind="fault" title={t.refused}>
        <span style={{ whiteSpace: 'pre-wrap' }}>{message ?? t.problems(problemCount)}</span>
      </Notice>
      {problems.length > 0 && (
        <ProblemTable
          label={t.problems(problemCount)}
          lead={problems.length < problemCount ? t.firstProblems(problems.length) : undefined}
          titles={{ line: t.line, subject: t.field, reason: t.reason }}
          rows={problems.map(({ line, field, reason, fault }) => ({
            line,
            subject: field,
            reason: describeFault({ message: reason, fault }),
          }))}
        />
      )}
    </Stack>
  )
}
