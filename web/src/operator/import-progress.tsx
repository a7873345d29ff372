import { Progress, Stack, Table, Text } from '@mantine/core'
import type { ImportState } from '../api/imports.ts'
import { Notice } from '../shell/notice.tsx'
import { number, percent } from '../shell/numbers.ts'
import { operator as texts } from '../texts/index.ts'

const t = texts.imports

/** How far an import is, and at its end what came of it: counts, or what is wrong with which line. */
export function ImportProgress({ state }: { state: ImportState }) {
  switch (state.at) {
    case 'sending':
      return <Running says={t.sending(percent(state.share))} share={state.share} />
    case 'reading':
      return <Running says={t.reading(state.read)} />
    case 'writing':
      return <Running says={t.writing(state.read)} />
    case 'storing': {
      const { stored, of } = state
      const says = of.atMost ? t.storingAtMost : t.storing
      return <Running says={says(stored, of.total, t.steps[of.what] ?? of.what)} share={stored / of.total} />
    }
    case 'publishing':
      return <Running says={t.publishing} />
    case 'stored': {
      const { kind, read, added, changed } = state
      return (
        <Notice kind="good" title={t.stored(t.kinds[kind] ?? kind, read)}>
          {t.counts(added, changed, read - added - changed)}
        </Notice>
      )
    }
    case 'refused':
      return <Refused state={state} />
    case 'failed':
      return (
        <Notice kind="fault" title={t.failed}>
          {state.message}
        </Notice>
      )
    case 'stopped':
      return (
        <Notice kind="warning" title={t.stopped}>
          {t.stoppedHelp}
        </Notice>
      )
  }
}

function Running({ says, share = 1 }: { says: string; share?: number }) {
  return (
    <div>
      <Text size="sm" role="status">
        {says}
      </Text>
      <Progress.Root size="sm" mt={6}>
        <Progress.Section value={100 * share} animated aria-label={t.progress} />
      </Progress.Root>
    </div>
  )
}

function Refused({ state: { message, count, problems } }: { state: ImportState & { at: 'refused' } }) {
  return (
    <Stack gap="sm">
      <Notice kind="fault" title={t.refused}>
        {message ?? t.problems(count)}
      </Notice>
      {problems.length > 0 && (
        <div className="wide-table" tabIndex={0} role="group" aria-label={t.problems(count)}>
          {problems.length < count && <Text size="sm">{t.firstProblems(problems.length)}</Text>}
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
              {problems.map(({ line, field, reason }, place) => (
                <Table.Tr key={place}>
                  <Table.Td ta="right" className="nowrap">
                    {number(line)}
                  </Table.Td>
                  <Table.Td className="mono nowrap">{field}</Table.Td>
                  <Table.Td>{reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  )
}
