import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LiveStreams {
  /** Streams that have received their first event. */
  opened(): number
  close(): void
}

/** Streams that are opened at the same time. */
const AT_ONCE = 100

/**
 * Opens streams of a live board over plain sockets, which cost the machine less than HTTP clients.
 * @param heard called with each event of the first `listeners` streams, and the time of its arrival
 */
export async function openStreams(
  {
    url,
    path,
    token,
    count,
    listeners,
  }: { url: string; path: string; token: string; count: number; listeners: number },
  heard: (data: string, at: number) => void,
): Promise<LiveStreams> {
  const { hostname, port, host } = new URL(url)
  const head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccess-token: ${token}\r\n\r\n`
  const sockets: Socket[] = []
  let opened = 0

  function open(listens: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    let isOpen = false
    let rest = ''
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the service closed a stream')))
    socket.on('data', (chunk: Buffer) => {
      const at = performance.now()
      if (isOpen && !listens) return
      rest += chunk.toString('latin1')
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue
        if (listens) heard(line.slice('data: '.length), at)
        if (isOpen) continue
        isOpen = true
        opened++
        resolve()
      }
      if (!listens) rest = ''
    })
    socket.write(head)
    return promise
  }

  for (let n = 0; n < count; n += AT_ONCE) {
    const some = Math.min(AT_ONCE, count - n)
    await Promise.all(Array.from({ length: some }, (_, i) => open(n + i < listeners)))
  }
  // The last heads may still be on their way.
  await sleep(100)
  return {
    opened: () => opened,
    close() {
      for (const socket of sockets) {
        socket.removeAllListeners('close')
        socket.destroy()
      }
    },
  }
}
