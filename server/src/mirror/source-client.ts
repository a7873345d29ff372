import { z } from 'zod'
import { type Clock, MINUTE, SECOND } from '../clock.ts'
import { parseExactJson } from '../ingest/exact-json.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { readText } from '../outgoing/read.ts'
import { retryAfter } from '../outgoing/retry-after.ts'
import type { Random } from '../random.ts'
import { MirrorError, MirrorPausedError } from './mirror-error.ts'

export interface ClientOptions {
  outgoing: Outgoing
  clock: Clock
  random: Random
  /** The base URL of the service, without `/query`. */
  from: string
  token: string
  pause: (milliseconds: number) => Promise<void>
  signal: AbortSignal
}

const errorShape = z.looseObject({
  message: z.string().optional(),
  path: z.array(z.union([z.string(), z.number()])).nullish(),
  extensions: z.looseObject({ code: z.string().optional() }).optional(),
})
const bodyShape = z.looseObject({ data: z.unknown().optional(), errors: z.array(errorShape).nullish() })

export type SourceFailure = z.infer<typeof errorShape>

/** A response of the source; `errors` may accompany data. */
export interface SourceAnswer<T> {
  data: T
  errors: SourceFailure[]
}

/** A client for services with the same GraphQL API. It waits between requests and respects quotas. */
export interface SourceClient {
  /** @throws MirrorError for a rejected request, MirrorPausedError for a long quota wait; OutgoingError */
  ask<Shape extends z.ZodType>(
    query: string,
    variables: Record<string, unknown>,
    shape: Shape,
  ): Promise<SourceAnswer<z.infer<Shape>>>
}

const MAX_BYTES = 32 * 1024 * 1024
const TIMEOUT = MINUTE
/** The timeout of the first request, so that a wrong URL is reported soon. */
const FIRST_TIMEOUT = 8 * SECOND
/** The wait between two requests, in milliseconds. */
const MIN_WAIT = 200
const MAX_WAIT = 500
const ATTEMPTS = 7
const MAX_PAUSE = 5 * MINUTE

export function createSourceClient(options: ClientOptions): SourceClient {
  const { clock, random, pause, signal } = options
  let answeredAt: number | undefined

  async function spread(): Promise<void> {
    const wait = MIN_WAIT + ((MAX_WAIT - MIN_WAIT) * random.bytes(2).readUInt16BE()) / 65_536
    const left = (answeredAt ?? -Infinity) + wait - clock.now()
    if (left > 0) await pause(Math.ceil(left))
  }

  return {
    async ask(query, variables, shape) {
      for (let attempt = 1; ; attempt++) {
        await spread()
        const outcome = await sendOnce(options, query, variables, answeredAt === undefined ? FIRST_TIMEOUT : TIMEOUT)
        if ('failure' in outcome && outcome.failure instanceof OutgoingError && answeredAt === undefined)
          throw new MirrorError(`The source is unreachable: ${outcome.failure.message}`, undefined, outcome.failure)
        answeredAt = clock.now()
        if ('answer' in outcome) {
          const parsed = shape.safeParse(outcome.answer.data ?? null)
          if (parsed.success) return { data: parsed.data, errors: outcome.answer.errors }
          const [issue] = parsed.error.issues
          throw new MirrorError(
            `The response of the source has an unexpected format: data.${issue?.path.join('.')}: ${issue?.message}`,
          )
        }
        const wait = outcome.wait ?? 2 ** (attempt - 1) * SECOND
        if (wait > MAX_PAUSE)
          throw new MirrorPausedError(
            `${outcome.failure.message}. The source requires to wait until ${new Date(clock.now() + wait).toISOString()}; then run the same command again to continue.`,
          )
        if (attempt === ATTEMPTS || signal.aborted) throw outcome.failure
        await pause(wait)
      }
    },
  }
}

type Outcome = { answer: SourceAnswer<unknown> } | { failure: Error; wait: number | undefined }

async function sendOnce(
  options: ClientOptions,
  query: string,
  variables: Record<string, unknown>,
  timeout: number,
): Promise<Outcome> {
  const url = `${options.from.replace(/\/+$/, '')}/query`
  try {
    const answer = await readText(options.outgoing, {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'access-token': options.token },
      body: JSON.stringify({ query, variables }),
      maxBytes: MAX_BYTES,
      timeout,
      signal: options.signal,
    })
    return judge(answer)
  } catch (error) {
    options.signal.throwIfAborted()
    if (error instanceof OutgoingError && error.temporary) return { failure: error, wait: undefined }
    throw error
  }
}

function judge(answer: { status: number; headers: Readonly<Record<string, string>>; text: string }): Outcome {
  const { status, headers, text } = answer
  const body = parseBody(text)
  const errors = body?.errors ?? []
  const [first] = errors
  const quota = errors.find(({ extensions }) => extensions?.code === 'QUOTA_EXCEEDED')
  const said = (quota ?? first)?.message
  if (status === 429 || quota)
    return { failure: new MirrorError(`The source says: ${said ?? 'too many requests'}`), wait: retryAfter(headers) }
  if (status >= 500)
    return { failure: new MirrorError(`The source fails with status ${status}`), wait: retryAfter(headers) }
  if (!body) throw new MirrorError(`The source responded with status ${status} and without a GraphQL response`)
  const { data } = body
  if (status !== 200 || data === undefined || data === null)
    throw new MirrorError(`The source refuses: ${said ?? `status ${status}`}`, first?.extensions?.code)
  return { answer: { data, errors } }
}

function parseBody(text: string): z.infer<typeof bodyShape> | undefined {
  try {
    return bodyShape.safeParse(parseExactJson(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The source's error for a root field that is null. */
export function refusal(what: string, errors: readonly SourceFailure[]): MirrorError {
  const [first] = errors
  return new MirrorError(`${what}: ${first?.message ?? 'the source returns null'}`, first?.extensions?.code)
}
