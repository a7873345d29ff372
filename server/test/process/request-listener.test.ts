import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { createApp } from '../../src/app.ts'
import { findAddress } from '../../src/http/listeners.ts'
import { DRAIN_TIMEOUT } from '../../src/lifetimes.ts'
import { serveRequests } from '../../src/process/request-listener.ts'
import { untilTheTestEnds } from '../support/connections.ts'
import { startWorld } from '../support/fixture.ts'
import { followLive } from '../support/live.ts'

const { cleanUp, connected } = untilTheTestEnds()
const world = await startWorld()
afterAll(() => world.stop())

/** Less than Node queues for a socket before it asks the writer to wait. */
const FEW_BYTES = Buffer.alloc(30_000, ':\n\n')

test(
  'a stop waits for clients that read, and then closes streams whose clients do not read the rest',
  { timeout: 30_000 },
  async () => {
    const app = await createApp(world.deps)
    const served: Socket[] = []
    app.server.on('connection', (socket: Socket) => served.push(socket))
    const { port, host } = await findAddress({ port: 0, host: '127.0.0.1' })
    const requests = await serveRequests(app, { port, host }, world.clock)
    const url = `http://${host}:${port}`
    const headers = { 'access-token': world.personas.business }

    const unread = await connected(url)
    unread.pause()
    unread.write(`GET /live/spaces/40 HTTP/1.1\r\nhost: a\r\naccess-token: ${headers['access-token']}\r\n\r\n`)
    await expect.poll(() => served[0]?.bytesWritten).toBeGreaterThan(100)
    const [kept] = served as [Socket]
    // The system accepts some megabytes before bytes stay in the process.
    for (let full = 0; full < 50; full = kept.writableLength > 0 ? full + 1 : 0) {
      if (kept.writableLength === 0) kept.write(FEW_BYTES)
      await nextTurn()
    }
    const read = await followLive(url, '/live/spaces/40', headers)
    await read.next()

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    cleanUp.push(() => vi.useRealTimers())
    let stopped = false
    const stop = requests.stop(0).then(() => (stopped = true))
    await read.ended
    vi.advanceTimersByTime(DRAIN_TIMEOUT - 1)
    for (let turns = 0; turns < 100; turns++) await nextTurn()
    expect([stopped, kept.destroyed]).toEqual([false, false])
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await stop
    expect(kept.destroyed).toBe(true)
  },
)
