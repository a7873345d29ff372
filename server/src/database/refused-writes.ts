import type { Client } from 'pg'
import { READ_ONLY } from './sql-states.ts'

/**
 * When a connection is idle after its server has refused a write, closes the connection. After a failover, another server
 * has the name, but an older connection still leads to the read-only server.
 */
export function endAfterRefusedWrite({ connection }: Client): void {
  let refused = false
  connection.on('errorMessage', ({ code }: { code?: string }) => (refused ||= code === READ_ONLY))
  connection.on('readyForQuery', ({ status }: { status: string }) => {
    if (refused && status === 'I') connection.stream.destroy()
  })
}
