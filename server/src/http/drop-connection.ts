import type { Socket } from 'node:net'

/**
 * Closes the connection of a client that does not read. After a normal close, the operating system would keep the unread
 * bytes, up to some megabytes, for minutes.
 */
export function dropConnection(socket: Socket): void {
  // Without queued bytes, the end can be under way. Then a reset fails.
  if (socket.writableLength > 0) socket.resetAndDestroy()
  else socket.destroy()
}
