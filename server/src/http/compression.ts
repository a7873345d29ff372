import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A smaller response arrives in one round trip anyway: the initial window of TCP has ten packets. */
export const MIN_COMPRESSED_BYTES = 14_000

const compress = {
  // Higher qualities take many times as long for a few percent.
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
}
type Encoding = keyof typeof compress

/** Compressed copies of cached bodies, for as long as the cache holds them. */
const copies = new WeakMap<Buffer, Partial<Record<Encoding, Buffer>>>()

/**
 * Compresses a large body, in a thread of zlib, if the client accepts it.
 * @returns undefined if the body is sent as it is
 */
export async function compressed(
  body: string | Buffer,
  acceptEncoding: string | undefined,
): Promise<{ body: Buffer; encoding: Encoding } | undefined> {
  if (acceptEncoding === undefined || Buffer.byteLength(body) < MIN_COMPRESSED_BYTES) return undefined
  const encoding = preferredEncoding(acceptEncoding)
  if (encoding === undefined) return undefined
  const known = typeof body === 'string' ? undefined : (copies.get(body) ?? {})
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const copy = known?.[encoding] ?? (await compress[encoding](bytes).catch(() => undefined))
  // Without memory for zlib, the body is sent as it is.
  if (copy === undefined) return undefined
  if (known && typeof body !== 'string') copies.set(body, { ...known, [encoding]: copy })
  return { body: copy, encoding }
}

/** The encoding with the highest quality; Brotli of equal ones (RFC 9110 12.5.3). */
export function preferredEncoding(acceptEncoding: string): Encoding | undefined {
  const qualities = new Map<string, number>()
  for (const range of acceptEncoding.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  const qualityOf = (encoding: Encoding) => qualities.get(encoding) ?? qualities.get('*') ?? 0
  const [br, gz] = [qualityOf('br'), qualityOf('gzip')]
  if (!(br > 0) && !(gz > 0)) return undefined
  return br >= gz || !(gz > 0) ? 'br' : 'gzip'
}
