/** An entry of the list of a snapshot. */
export interface Entry {
  address: string
  /** The points of a member of a board; 1 for holders and participants. */
  points: number
}

export interface RankedEntry extends Entry {
  /** Entries with equal points share a rank (1, 2, 2, 4). */
  rank: number
}

/** The number of entries in a row of `snapshot_entries`. */
export const ENTRIES_PER_CHUNK = 1_024

const HEAD_BYTES = 6
const EVM_BYTES = 20

/**
 * Packs entries: 4 bytes of points, 2 bytes of length, the address. The length 0 means an EVM address of 20 bytes; other
 * addresses are text in UTF-8.
 */
export class EntryPacker {
  #buffer = Buffer.allocUnsafe(ENTRIES_PER_CHUNK * (HEAD_BYTES + EVM_BYTES))
  #end = 0

  /** @returns the 20 bytes of an EVM address, valid until the next call; undefined for other addresses */
  add(address: string, points: number): Buffer | undefined {
    const start = this.#end
    if (start + HEAD_BYTES + 4 * address.length > this.#buffer.length) this.#grow(4 * address.length)
    this.#buffer.writeInt32BE(points, start)
    const at = start + HEAD_BYTES
    if (isEvmShaped(address) && this.#buffer.write(address.slice(2), at, 'hex') === EVM_BYTES) {
      this.#buffer.writeUInt16BE(0, start + 4)
      this.#end = at + EVM_BYTES
      return this.#buffer.subarray(at, this.#end)
    }
    const length = this.#buffer.write(address, at, 'utf8')
    this.#buffer.writeUInt16BE(length, start + 4)
    this.#end = at + length
    return undefined
  }

  /** The packed entries; the next entry begins a new chunk. */
  take(): Buffer {
    const packed = Buffer.from(this.#buffer.subarray(0, this.#end))
    this.#end = 0
    return packed
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(2 * this.#buffer.length + needed)
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}

/** Addresses are in canonical form, so the hexadecimal digits are in lower case. */
const isEvmShaped = (address: string): boolean => address.length === 42 && address.startsWith('0x')

export function* unpackEntries(packed: Buffer, chunk: number, firstRank: number): Generator<RankedEntry> {
  let rank = firstRank
  let previous: number | undefined
  let position = chunk * ENTRIES_PER_CHUNK
  for (let at = 0; at < packed.length;) {
    const points = packed.readInt32BE(at)
    const length = packed.readUInt16BE(at + 4)
    at += HEAD_BYTES
    const end = at + (length === 0 ? EVM_BYTES : length)
    const address = length === 0 ? `0x${packed.toString('hex', at, end)}` : packed.toString('utf8', at, end)
    at = end
    position++
    if (previous !== undefined && points !== previous) rank = position
    previous = points
    yield { rank, address, points }
  }
}
