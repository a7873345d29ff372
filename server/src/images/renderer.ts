import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { MINUTE, type MonotonicClock, SECOND } from '../clock.ts'
import { overloaded, unavailable } from '../errors.ts'

/** The maximum number of waiting images of each kind. The last image of a page then waits for about eight seconds. */
const MAX_WAITING = 16
const MAX_DURATION = 10 * SECOND
/** Twice the usual wait, for a busy machine. Even after a slow drawing, the request ends before its deadline. */
const MAX_WAIT = 15 * SECOND
const MAX_PAUSE = SECOND
/** An idle thread ends after this, which frees the 100 MB of fonts and images. */
const IDLE = MINUTE

/** Uploads are drawn first, because a person waits for each. */
const KINDS = ['upload', 'page'] as const
export type Kind = (typeof KINDS)[number]

interface Waiting {
  svg: string
  since: number
  pass: (drawn: Promise<Buffer>) => void
}

/** The cause of UNAVAILABLE if the thread failed while it drew the document, or was too slow. */
export class DrawingFailed extends Error {}

export interface Renderer {
  /**
   * The SVG document as a PNG file.
   * @throws UNAVAILABLE if too many drawings of this kind wait, or the drawing fails, waits or takes too long
   */
  render(svg: string, kind?: Kind): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Draws in one thread, one image at a time. After each image, the thread pauses for as long as the drawing took, so all
 * images together take half a core at most. The thread starts with the first image.
 */
export function createRenderer(clock: MonotonicClock): Renderer {
  let thread: Worker | undefined
  let ending: NodeJS.Timeout | undefined
  const waiting: Record<Kind, Waiting[]> = { upload: [], page: [] }
  /** The kind of the current drawing, or of the drawing before the current pause. */
  let busy: Kind | undefined
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
      throw unavailable(
        closed.signal.aborted ? error : new DrawingFailed('the image cannot be drawn', { cause: error }),
      )
    }
  }

  async function drawAll(): Promise<void> {
    for (;;) {
      const kind = KINDS.find((one) => waiting[one].length > 0)
      const next = kind && waiting[kind].shift()
      busy = kind
      if (!next) return
      if (clock.monotonic() - next.since > MAX_WAIT) next.pass(Promise.reject(overloaded()))
      else await drawAndRest(next)
    }
  }

  async function drawAndRest({ svg, pass }: Waiting): Promise<void> {
    const started = clock.monotonic()
    const drawn = draw(svg)
    pass(drawn)
    await drawn.catch(() => undefined)
    await sleep(Math.min(clock.monotonic() - started, MAX_PAUSE), undefined, { ref: false })
  }

  async function end(): Promise<void> {
    clearTimeout(ending)
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }

  return {
    render(svg, kind = 'page') {
      const count = waiting[kind].length + (busy === kind ? 1 : 0)
      if (count >= MAX_WAITING) return Promise.reject(overloaded())
      const { promise, resolve } = Promise.withResolvers<Buffer>()
      waiting[kind].push({ svg, since: clock.monotonic(), pass: resolve })
      if (busy === undefined) void drawAll()
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
