import { Badge, Table, Text } from '@mantine/core'
import { REFUSED, type TokenRequest } from '../api/tokens.ts'
import { atSecond } from '../shell/dates.ts'
import { serverApi as texts, shell } from '../texts/index.ts'

const t = texts.requests

/** Requests, the newest first. The request ID finds a request in the log of the operator. */
export function RequestTable({ requests }: { requests: readonly TokenRequest[] }) {
  if (requests.length === 0) return <Text>{t.none}</Text>
  return (
    <div className="wide-table" tabIndex={0} role="group" aria-label={shell.view.table}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th className="nowrap">{t.time}</Table.Th>
            <Table.Th className="nowrap">{t.status}</Table.Th>
            <Table.Th className="request-operation">{t.operation}</Table.Th>
            <Table.Th ta="right" className="nowrap">
              {t.duration}
            </Table.Th>
            <Table.Th className="nowrap">{t.requestId}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {requests.map(({ at, requestId, operation, status, milliseconds, code }) => (
            <Table.Tr key={requestId}>
              <Table.Td className="nowrap">{atSecond(at)}</Table.Td>
              <Table.Td className="nowrap request-status">
                <Badge color={code === null ? 'teal.9' : 'red.9'} radius="sm" tt="none">
                  {status}
                </Badge>
                {code !== null && (
                  <Text span size="xs" className="mono" ml={6}>
                    {code}
                  </Text>
                )}
              </Table.Td>
              <Table.Td className="mono request-operation">{operation === REFUSED ? t.refused : operation}</Table.Td>
              <Table.Td ta="right" className="nowrap">
                {t.milliseconds(milliseconds)}
              </Table.Td>
              <Table.Td className="mono nowrap">{requestId}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
