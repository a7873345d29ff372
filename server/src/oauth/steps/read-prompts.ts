import { invalidRequest } from '../errors.ts'
import type { Parameters } from '../parameters.ts'

const prompts = ['none', 'login', 'consent', 'select_account']
const MAX_NONCE_LENGTH = 500

export interface Prompts {
  prompt: string[]
  /** The maximum age of the sign-in in seconds. */
  maxAge: number | undefined
  nonce: string | undefined
}

/** OpenID Connect Core 3.1.2.1: prompt, max_age, nonce. @throws OauthError invalid_request */
export function readPrompts(query: Parameters): Prompts {
  const prompt = (query.get('prompt') ?? '').split(' ').filter((value) => value !== '')
  if (prompt.some((value) => !prompts.includes(value))) throw invalidRequest(`prompt may have: ${prompts.join(', ')}`)
  if (prompt.includes('none') && prompt.length > 1) throw invalidRequest('prompt=none cannot be combined')
  const maxAge = query.get('max_age')
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw invalidRequest('max_age must be a number of seconds')
  const nonce = query.get('nonce')
  if (nonce !== undefined && nonce.length > MAX_NONCE_LENGTH)
    throw invalidRequest(`nonce must have at most ${MAX_NONCE_LENGTH} characters`)
  return { prompt, maxAge: maxAge === undefined ? undefined : Number(maxAge), nonce }
}
