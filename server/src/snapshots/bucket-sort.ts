/** Stores full buckets outside of memory. */
export interface BucketStore {
  put(sort: number, bucket: number, records: Buffer): Promise<void>
  get(sort: number, bucket: number): Promise<Buffer[]>
}

const BUCKETS = 256
const BUCKET_BYTES = 64 * 1024

/**
 * Sorts any number of records of one length by their bytes. The first byte, which should be evenly distributed, selects
 * one of 256 buckets. Full buffers of buckets go to the store, and one bucket at a time is sorted in memory.
 */
export class BucketSort {
  readonly #store: BucketStore
  readonly #sort: number
  readonly #length: number
  readonly #limit: number
  readonly #buckets: (Buffer | undefined)[] = Array.from({ length: BUCKETS })
  readonly #used = new Uint32Array(BUCKETS)
  #full: [bucket: number, records: Buffer][] = []

  /** @param sort distinguishes several sorts in one store */
  constructor(store: BucketStore, sort: number, length: number) {
    this.#store = store
    this.#sort = sort
    this.#length = length
    this.#limit = BUCKET_BYTES - (BUCKET_BYTES % length)
  }

  /** Copies the record, so the caller can reuse it. */
  add(record: Buffer): void {
    const bucket = record[0] as number
    const buffer = (this.#buckets[bucket] ??= Buffer.allocUnsafeSlow(this.#limit))
    const used = this.#used[bucket] as number
    record.copy(buffer, used, 0, this.#length)
    this.#used[bucket] = used + this.#length
    if (used + this.#length < this.#limit) return
    this.#full.push([bucket, buffer])
    this.#buckets[bucket] = undefined
    this.#used[bucket] = 0
  }

  /** Moves full buckets to the store; call it after some records were added. */
  async flush(): Promise<void> {
    for (const [bucket, records] of this.#full) await this.#store.put(this.#sort, bucket, records)
    this.#full = []
  }

  /** The sorted records, in one buffer for each bucket. */
  async *sorted(): AsyncGenerator<Buffer> {
    await this.flush()
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const rest = this.#buckets[bucket]?.subarray(0, this.#used[bucket])
      const parts = [...(await this.#store.get(this.#sort, bucket)), ...(rest ? [rest] : [])]
      this.#buckets[bucket] = undefined
      if (parts.length > 0) yield sortRecords(Buffer.concat(parts), this.#length)
    }
  }
}

/**
 * Sorts the records of one bucket, which have the same first byte. TypedArray.sort sorts numbers of the next five bytes
 * fast. The few records with equal numbers are then compared by all bytes.
 */
export function sortRecords(records: Buffer, length: number): Buffer {
  const count = records.length / length
  const keys = new BigUint64Array(count)
  // The low word of a key has the fifth of these bytes and the index of the record, the high word the other four bytes.
  const words = new Uint32Array(keys.buffer)
  for (let i = 0, at = 0; i < count; i++, at += length) {
    words[2 * i] = ((records[at + 5] as number) << 24) | i
    words[2 * i + 1] = records.readUInt32BE(at + 1)
  }
  keys.sort()
  const sorted = Buffer.allocUnsafe(records.length)
  const compare = (a: number, b: number) =>
    records.compare(records, b * length, (b + 1) * length, a * length, (a + 1) * length)
  for (let i = 0; i < count;) {
    const same = [(words[2 * i] as number) & 0xff_ffff]
    while (i + same.length < count && haveSameKey(words, i, i + same.length))
      same.push((words[2 * (i + same.length)] as number) & 0xff_ffff)
    if (same.length > 1) same.sort(compare)
    for (const record of same) records.copy(sorted, i++ * length, record * length, (record + 1) * length)
  }
  return sorted
}

function haveSameKey(words: Uint32Array, a: number, b: number): boolean {
  return words[2 * a + 1] === words[2 * b + 1] && (words[2 * a] as number) >>> 24 === (words[2 * b] as number) >>> 24
}
