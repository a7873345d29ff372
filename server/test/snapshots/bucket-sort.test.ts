import { describe, expect, it } from 'vitest'
import { BucketSort, type BucketStore, sortRecords } from '../../src/snapshots/bucket-sort.ts'

const LENGTH = 12
const recordOf = (n: number) => {
  const record = Buffer.alloc(LENGTH)
  record.writeUInt32BE(Math.imul(n, 0x9e3779b1) >>> 0, 0)
  record.writeUInt32BE(n % 5, 6)
  return record
}
const split = (records: Buffer) =>
  Array.from({ length: records.length / LENGTH }, (_, i) => records.toString('hex', i * LENGTH, (i + 1) * LENGTH))

function memoryStore(): BucketStore & { puts: number } {
  const kept = new Map<string, Buffer[]>()
  return {
    puts: 0,
    async put(sort, bucket, records) {
      this.puts++
      kept.set(`${sort} ${bucket}`, [...(kept.get(`${sort} ${bucket}`) ?? []), Buffer.from(records)])
    },
    get: async (sort, bucket) => kept.get(`${sort} ${bucket}`) ?? [],
  }
}

describe('BucketSort', () => {
  it('sorts more records than its buckets hold', async () => {
    const store = memoryStore()
    const sort = new BucketSort(store, 0, LENGTH)
    const other = new BucketSort(store, 1, LENGTH)
    const records: string[] = []
    // Few first bytes, so that buckets become full.
    for (let n = 0; n < 40_000; n++) {
      const record = recordOf(n)
      record[0] = n % 3
      records.push(record.toString('hex'))
      sort.add(record)
      other.add(Buffer.alloc(LENGTH))
      if (n % 1_000 === 0) await sort.flush()
    }
    const sorted: string[] = []
    for await (const part of sort.sorted()) sorted.push(...split(part))
    expect(store.puts).toBeGreaterThan(3)
    expect(sorted).toEqual(records.toSorted())
  })

  it('sorts records that differ in their last bytes only', () => {
    const records = Array.from({ length: 100 }, (_, n) =>
      Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, (n * 37) % 101]),
    )
    const sorted = split(sortRecords(Buffer.concat(records), LENGTH))
    expect(sorted).toEqual(records.map((record) => record.toString('hex')).toSorted())
  })
})
