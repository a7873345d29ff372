import { randomBytes, randomUUID } from 'node:crypto'

/** The only source of randomness. */
export interface Random {
  bytes(length: number): Buffer
  uuid(): string
  /** 32 hexadecimal digits. */
  requestId(): string
}

export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
  requestId: pooledIds(),
}

const ID_BYTES = 16

/** Requests random bytes for many ids at once, because a system call costs more than an id. */
function pooledIds(): () => string {
  let pool = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === pool.length) [pool, at] = [randomBytes(256 * ID_BYTES), 0]
    at += ID_BYTES
    return pool.toString('hex', at - ID_BYTES, at)
  }
}
