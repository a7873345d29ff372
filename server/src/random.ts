import { randomBytes, randomUUID } from 'node:crypto'

/** The only door through which randomness enters. */
export interface Random {
  bytes(length: number): Buffer
  uuid(): string
}

export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
}
