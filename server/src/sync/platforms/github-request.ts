import { wrongFormat } from '../../texts/faults.ts'
import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { SECOND } from '../../clock.ts'
import type { ReadAnswer } from '../../outgoing/read.ts'
import { retryAfter } from '../../outgoing/retry-after.ts'
import { parseJson } from '../lists/json-entries.ts'
import type { SourceContext } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { hostOf } from '../source-kind.ts'
import { listed, secret } from '../source-settings.ts'
import { requestPlatform } from './platform-request.ts'

/** Settings of the sources that read a repository. */
export const repository = {
  ...listed,
  repository: z
    .string()
    .regex(
      pattern('github_repository', /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/),
      'must be OWNER/NAME, such as octocat/hello-world',
    )
    .refine((text) => !/\/\.{1,2}$/.test(text), {
      error: 'must be OWNER/NAME, such as octocat/hello-world',
      params: wrongFormat('github_repository'),
    }),
  token: secret,
}

export const PAGE_SIZE = 100

const userShape = z.looseObject({ id: z.int().positive(), login: z.string().regex(/^[A-Za-z0-9-]{1,39}(\[bot\])?$/) })

/** Sends a request to the REST API. @param accepted further statuses that the caller handles */
export function requestGithub(
  context: SourceContext,
  token: string,
  path: string,
  accepted: readonly number[] = [],
): Promise<ReadAnswer> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
  }
  const waitOf = (answer: ReadAnswer) => limitOf(answer, context.clock.now())
  return requestPlatform(context, { url: context.sites.github + path, headers }, { accepted, waitOf })
}

/** The pause that GitHub requests with status 403 or 429, in Retry-After or in the headers of the rate limit. */
function limitOf({ status, headers }: ReadAnswer, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined
  const asked = retryAfter(headers)
  if (asked !== undefined) return asked
  if (headers['x-ratelimit-remaining'] !== '0') return undefined
  const reset = Number(headers['x-ratelimit-reset'])
  return Number.isFinite(reset) ? Math.max(0, reset * SECOND - now) : undefined
}

/** The elements of a list in a response; none for an empty repository (204). */
export function listIn<T>(answer: ReadAnswer, shape: z.ZodType<T>): T[] {
  if (answer.status === 204) return []
  const parsed = z.array(shape).safeParse(parseJson(answer.text, hostOf(answer.url)))
  if (!parsed.success) throw new SourceError(`${hostOf(answer.url)} returned no list`)
  return parsed.data
}

/** Whether a page of a list has a next page (RFC 8288). */
export const hasNext = ({ headers }: ReadAnswer): boolean => /;\s*rel="?next"?/.test(headers.link ?? '')

/** The current login of a user, found by the immutable id; undefined for a deleted user. */
export async function loginOf(context: SourceContext, token: string, userId: string): Promise<string | undefined> {
  if (!/^[1-9][0-9]{0,15}$/.test(userId)) return undefined
  const answer = await requestGithub(context, token, `/user/${userId}`, [404])
  if (answer.status === 404) return undefined
  const parsed = userShape.safeParse(parseJson(answer.text, hostOf(answer.url)))
  if (!parsed.success || String(parsed.data.id) !== userId)
    throw new SourceError(`${hostOf(answer.url)} returned another user`)
  return parsed.data.login
}
