import type { Client } from 'pg'
import { READ_ONLY } from './sql-states.ts'

/**
 * Ends a connection whose server has refused to write, when it is idle again: after a failover another server has its
 * name, and a connection that was made in between would refuse for as long as it lives.
 */
export function endAfterRefusedWrite({ connection }: Client): void {
  let refused = false
  connection.on('errorMessage', ({ code }: { code?: string }) => (refused ||= code === READ_ONLY))
  connection.on('readyForQuery', ({ status }: { status: string }) => {
    if (refused && status === 'I') connection.stream.destroy()
  })
}
