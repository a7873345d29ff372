import { HOUR, MINUTE, SECOND } from '../../clock.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { createRecent } from '../../cache/recent-cache.ts'
import { tooManyRequests } from '../../errors.ts'
import type { RateLimit } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import { imageType } from '../../images/image-type.ts'
import type { Services } from '../../services.ts'

export interface Picture {
  type: string
  bytes: Buffer
}

const MAX_BYTES = 256 * 1024
const CACHE_BYTES = 16 * 1024 * 1024
const ENTRY_BYTES = 1024
const TIMEOUT = 5 * SECOND
const PICTURE_LIFETIME = HOUR
/** Time until a failed fetch is retried. */
const FAILURE_LIFETIME = 10 * MINUTE

/** Limits the fetches of one account. Cache hits are not counted. */
const fetchesByAccount: RateLimit = { name: 'avatar', max: 600, seconds: 3600 }

interface Entry {
  picture: Picture | undefined
  until: number
}

/** @throws ApiError too_many_requests */
export type ReadAvatar = (url: string, accountId: string) => Promise<Picture | undefined>

/** Fetches and caches pictures, so that browsers never contact foreign servers. */
export function createAvatars(services: Services): ReadAvatar {
  const known = createRecent<Entry>(CACHE_BYTES, (_url, { picture }) => ENTRY_BYTES + (picture?.bytes.length ?? 0))
  const pending = new Map<string, Promise<Picture | undefined>>()
  const fetchAndKeep = async (url: string) => {
    const picture = await fetchPicture(services, url)
    known.set(url, { picture, until: services.clock.now() + (picture ? PICTURE_LIFETIME : FAILURE_LIFETIME) })
    return picture
  }
  const kept = (url: string): Entry | undefined => {
    const entry = known.get(url)
    return entry && entry.until > services.clock.now() ? entry : undefined
  }
  return async (url, accountId) => {
    const entry = kept(url)
    if (entry) return entry.picture
    const underWay = pending.get(url)
    if (underWay) return underWay
    const count = await countAttempt(services, fetchesByAccount, accountId)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    // Another request may have fetched the picture in the meantime.
    const since = kept(url)
    if (since) return since.picture
    const begun = pending.get(url) ?? fetchAndKeep(url).finally(() => pending.delete(url))
    pending.set(url, begun)
    return begun
  }
}

/** Returns undefined unless the response is a PNG, JPEG or WebP image within the size limit. */
async function fetchPicture({ outgoing, log }: Services, url: string): Promise<Picture | undefined> {
  try {
    const request = {
      url,
      headers: { accept: 'image/png, image/jpeg, image/webp' },
      maxBytes: MAX_BYTES,
      timeout: TIMEOUT,
    }
    return await outgoing.send(request, async ({ status, body }) => {
      if (status !== 200) return undefined
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      const type = imageType(bytes)
      return type === undefined ? undefined : { type, bytes }
    })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    log.debug({ err: error }, 'an avatar could not be read')
    return undefined
  }
}
