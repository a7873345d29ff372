import { Stack, Table, Text } from '@mantine/core'
import type { Change, Differences as Found } from '../api/rules.ts'
import { number, signed } from '../shell/numbers.ts'
import { rules as t } from '../texts/index.ts'

/** The points of rules and members before and after. */
export function Differences({ found }: { found: Found }) {
  const { rules, members, differences } = found
  const sum = (part: keyof Change) => rules.reduce((all, rule) => all + rule[part], 0)
  return (
    <Stack gap="md">
      <Changes
        title={t.byRule}
        head={t.rule}
        rows={rules.map(({ id, ...change }) => ({ name: id, ...change }))}
        total={{ before: sum('before'), after: sum('after') }}
      />
      {differences.length > 0 && (
        <Changes
          title={t.byMember}
          head={t.member}
          rows={differences.map(({ address, ...change }) => ({ name: address, ...change }))}
        />
      )}
      {members > differences.length && (
        <Text size="sm" c="dimmed">
          {t.moreMembers(members - differences.length)}
        </Text>
      )}
    </Stack>
  )
}

interface ChangesProps {
  title: string
  head: string
  rows: ({ name: string } & Change)[]
  total?: Change
}

function Changes({ title, head, rows, total }: ChangesProps) {
  return (
    <div className="wide-table rule-changes" tabIndex={0} role="group" aria-label={title}>
      <Table verticalSpacing={6} captionSide="top">
        <Table.Caption>{title}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{head}</Table.Th>
            <Table.Th ta="right">{t.before}</Table.Th>
            <Table.Th ta="right">{t.after}</Table.Th>
            <Table.Th ta="right">{t.difference}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, ...change }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} className="mono rule-name">
                {name}
              </Table.Th>
              <Numbers change={change} />
            </Table.Tr>
          ))}
        </Table.Tbody>
        {total && (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">{t.total}</Table.Th>
              <Numbers change={total} />
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </div>
  )
}

function Numbers({ change: { before, after } }: { change: Change }) {
  return (
    <>
      <Table.Td ta="right">{number(before)}</Table.Td>
      <Table.Td ta="right">{number(after)}</Table.Td>
      <Table.Td ta="right" fw={600} {...(after < before && { className: 'bad' })}>
        {signed(after - before)}
      </Table.Td>
    </>
  )
}
