import { Stack, Table, Text } from '@mantine/core'
import type { FileImport } from '../api/imports.ts'
import { messageOf } from './import-message.ts'
import { describeFault } from '../shell/describe-fault.ts'
import { Notice } from '../shell/notice.tsx'
import { number } from '../shell/numbers.ts'
import { imports as t } from '../texts/index.ts'

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
        <div className="wide-table" tabIndex={0} role="group" aria-label={t.problems(problemCount)}>
          {problems.length < problemCount && <Text size="sm">{t.firstProblems(problems.length)}</Text>}
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th ta="right" className="nowrap">
                  {t.line}
                </Table.Th>
                <Table.Th className="nowrap">{t.field}</Table.Th>
                <Table.Th>{t.reason}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {problems.map(({ line, field, reason, fault }, place) => (
                <Table.Tr key={place}>
                  <Table.Td ta="right" className="nowrap">
                    {number(line)}
                  </Table.Td>
                  <Table.Td className="mono nowrap">{field}</Table.Td>
                  <Table.Td>{describeFault({ message: reason, fault })}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  )
}
