import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { MINUTE, type MonotonicClock, SECOND } from '../clock.ts'
import { overloaded, unavailable } from '../errors.ts'

/** With the rests, the last one waits for about eight seconds. */
const MAX_WAITING = 16
const MAX_DURATION = 10 * SECOND
const MAX_REST = SECOND
/** Then the thread ends, with the 100 MB that fonts and images take. */
const IDLE = MINUTE

export interface Renderer {
  /**
   * The SVG document as a PNG file.
   * @throws UNAVAILABLE if too many drawings wait, or the drawing fails or takes too long
   */
  render(svg: string): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Draws in one thread, one image at a time, and rests after each as long as the drawing took: all images together take
 * half a core at most. The thread starts with the first image.
 */
export function createRenderer(clock: MonotonicClock): Renderer {
  let thread: Worker | undefined
  let ending: NodeJS.Timeout | undefined
  let waiting = 0
  let last = Promise.resolve()
  const closed = new AbortController()

  async function draw(svg: string): Promise<Buffer> {
    clearTimeout(ending)
    try {
      closed.signal.throwIfAborted()
      thread ??= startThread()
      const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(MAX_DURATION)])
      const drawn = once(thread, 'message', { signal })
      thread.postMessage(svg)
      const [png] = (await drawn) as [Uint8Array]
      ending = setTimeout(() => void end(), IDLE).unref()
      return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
    } catch (error) {
      await end()
      throw unavailable(error)
    }
  }

  async function drawAndRest(svg: string, pass: (drawn: Promise<Buffer>) => void): Promise<void> {
    const started = clock.monotonic()
    const drawn = draw(svg)
    pass(drawn)
    await drawn.catch(() => undefined)
    waiting--
    await sleep(Math.min(clock.monotonic() - started, MAX_REST), undefined, { ref: false })
  }

  async function end(): Promise<void> {
    clearTimeout(ending)
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }

  return {
    render(svg) {
      if (waiting >= MAX_WAITING) return Promise.reject(overloaded())
      waiting++
      const { promise, resolve } = Promise.withResolvers<Buffer>()
      last = last.then(() => drawAndRest(svg, resolve))
      return promise
    },
    close() {
      closed.abort()
      return end()
    },
  }
}

function startThread(): Worker {
  const thread = new Worker(new URL('./render-thread.ts', import.meta.url))
  // An error fails the drawing that waits for a message. Later errors are of a thread that ends.
  thread.on('error', () => {})
  thread.unref()
  return thread
}
