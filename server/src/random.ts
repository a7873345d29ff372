import { randomBytes, randomUUID } from 'node:crypto'

/** The only door through which randomness enters. */
export interface Random {
  bytes(length: number): Buffer
  uuid(): string
  /** 32 hexadecimal digits, to tell requests apart. */
  requestId(): string
}

export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
  requestId: pooledIds(),
}

const ID_BYTES = 16

/** The system is asked for many at once: each asking costs more than an id. */
function pooledIds(): () => string {
  let pool = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === pool.length) [pool, at] = [randomBytes(256 * ID_BYTES), 0]
    at += ID_BYTES
    return pool.toString('hex', at - ID_BYTES, at)
  }
}
