import { createHash, type Hash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import { streamRows } from '../database/stream-rows.ts'
import type { DB } from '../database/tables.ts'
import { BucketSort } from './bucket-sort.ts'
import { createBuckets, insertEntries, insertPlaces, nodeStore } from './contents.queries.ts'
import { ENTRIES_PER_CHUNK, EntryPacker } from './entries.ts'
import { formats } from './formats.ts'
import { BATCH, createKeccak, type Keccak } from './keccak.ts'
import { NO_LEAF, PLACE_BYTES, placeChunk, placeKey } from './places.ts'
import { type Source, sourceRows } from './sources.queries.ts'
import { NODE_BYTES, TreeWriter } from './tree.ts'

export interface Sealed {
  members: number
  /** The sum of all points, which can exceed 2^53. */
  points: bigint
  /** Members in the Merkle tree: EVM addresses with 0 or more points. */
  leaves: number
  /** The size of the stored entries, places and nodes. */
  bytes: number
  /** SHA-256 of the CSV download. */
  digest: Buffer
  /** Undefined for a tree without leaves. */
  root: Buffer | undefined
}

export interface BuildOptions {
  signal?: AbortSignal | undefined
  /** Called with the number of members that were read. */
  progress?: (members: number) => void
}

type Row = [points: number, address: string]

/** The hash of a leaf, the key of its address, and the number of its entry. */
const LEAF_RECORD_BYTES = NODE_BYTES + 8
const LEAVES = 0
const PLACES = 1

/**
 * Reads a list in one statement and stores it with its Merkle tree in the transaction. Keeps only a small part of the list
 * in memory.
 */
export async function buildContents(
  database: Pick<Database, 'pool'>,
  trx: Transaction<DB>,
  snapshotId: string,
  source: Source,
  { signal, progress }: BuildOptions = {},
): Promise<Sealed> {
  const keccak = await createKeccak()
  const buckets = await createBuckets(trx)
  const leaves = new BucketSort(buckets, LEAVES, LEAF_RECORD_BYTES)
  const places = new BucketSort(buckets, PLACES, PLACE_BYTES)
  const list = new ListWriter(trx, snapshotId, new LeafHasher(keccak, leaves), places)
  for await (const rows of streamRows<Row>(database, sourceRows(source))) {
    signal?.throwIfAborted()
    for (let from = 0; from < rows.length; from += BATCH) await list.add(rows.slice(from, from + BATCH))
    await leaves.flush()
    await places.flush()
    progress?.(list.members)
  }
  await list.end()

  const tree = new TreeWriter(nodeStore(trx, snapshotId), keccak)
  let leaf = 0
  const place = Buffer.alloc(PLACE_BYTES)
  for await (const records of leaves.sorted()) {
    signal?.throwIfAborted()
    await tree.add(records, LEAF_RECORD_BYTES)
    for (let at = NODE_BYTES; at < records.length; at += LEAF_RECORD_BYTES) {
      records.copy(place, 0, at, at + 8)
      place.writeUInt32BE(leaf++, 8)
      places.add(place)
    }
    await places.flush()
  }
  const root = await tree.addParents()
  await storePlaces(trx, snapshotId, places, list.members)

  const nodes = Math.max(0, 2 * leaf - 1)
  const bytes = list.bytes + list.members * PLACE_BYTES + nodes * NODE_BYTES
  return { members: list.members, points: list.points, leaves: leaf, bytes, digest: list.digest(), root }
}

/**
 * An estimate of the bytes on the disk while a list is built: contents, their write-ahead log, and sorting. An upper limit
 * for EVM addresses; longer names need more.
 */
export function neededBytes({ members, leaves }: { members: number; leaves: number }): number {
  const stored = members * (26 + PLACE_BYTES) + leaves * 2 * NODE_BYTES
  return 2 * stored + members * PLACE_BYTES + leaves * LEAF_RECORD_BYTES
}

/** Stores the entries, and passes each one to the sort of leaves or, without a leaf, to the sort of places. */
class ListWriter {
  members = 0
  points = 0n
  bytes = 0
  readonly #trx: Transaction<DB>
  readonly #snapshotId: string
  readonly #leaves: LeafHasher
  readonly #places: BucketSort
  readonly #packer = new EntryPacker()
  readonly #hash: Hash = createHash('sha256').update(formats.csv.head)
  readonly #place = Buffer.alloc(PLACE_BYTES)
  #rank = 1
  #previous: number | undefined
  #firstRank = 1
  #chunks = 0

  constructor(trx: Transaction<DB>, snapshotId: string, leaves: LeafHasher, places: BucketSort) {
    this.#trx = trx
    this.#snapshotId = snapshotId
    this.#leaves = leaves
    this.#places = places
  }

  /** @param rows at most BATCH */
  async add(rows: readonly Row[]): Promise<void> {
    let csv = ''
    let sum = 0
    for (const [points, address] of rows) {
      if (points !== this.#previous) this.#rank = this.members + 1
      this.#previous = points
      if (this.members % ENTRIES_PER_CHUNK === 0) {
        await this.#store()
        this.#firstRank = this.#rank
      }
      const evm = this.#packer.add(address, points)
      csv += formats.csv.line({ rank: this.#rank, address, points })
      this.#add(address, points, evm)
      this.members++
      sum += points
    }
    this.points += BigInt(sum)
    this.#hash.update(csv)
    this.#leaves.flush()
  }

  async end(): Promise<void> {
    await this.#store()
  }

  digest(): Buffer {
    return this.#hash.digest()
  }

  #add(address: string, points: number, evm: Buffer | undefined): void {
    const key = placeKey(address)
    if (evm !== undefined && points >= 0) return this.#leaves.add(evm, points, key, this.members)
    this.#place.writeUInt32BE(key, 0)
    this.#place.writeUInt32BE(this.members, 4)
    this.#place.writeUInt32BE(NO_LEAF, 8)
    this.#places.add(this.#place)
  }

  async #store(): Promise<void> {
    const packed = this.#packer.take()
    if (packed.length === 0) return
    this.bytes += packed.length
    await insertEntries(this.#trx, this.#snapshotId, this.#chunks++, this.#firstRank, packed)
  }
}

/** Hashes leaves as OpenZeppelin does: `keccak256(keccak256(abi.encode(address, uint256)))`. */
class LeafHasher {
  readonly #keccak: Keccak
  readonly #sort: BucketSort
  readonly #input: Buffer
  readonly #records = Buffer.alloc(BATCH * LEAF_RECORD_BYTES)
  #count = 0

  constructor(keccak: Keccak, sort: BucketSort) {
    this.#keccak = keccak
    this.#sort = sort
    this.#input = Buffer.from(keccak.input.buffer, keccak.input.byteOffset, keccak.input.length)
  }

  add(address: Buffer, points: number, key: number, entry: number): void {
    const start = this.#count * 64
    this.#input.fill(0, start, start + 64)
    address.copy(this.#input, start + 12)
    this.#input.writeUInt32BE(points, start + 60)
    const record = this.#count * LEAF_RECORD_BYTES
    this.#records.writeUInt32BE(key, record + NODE_BYTES)
    this.#records.writeUInt32BE(entry, record + NODE_BYTES + 4)
    this.#count++
  }

  flush(): void {
    if (this.#count === 0) return
    this.#keccak.hash64(this.#count)
    this.#keccak.hashOutputs(this.#count)
    for (let i = 0; i < this.#count; i++) {
      const at = i * LEAF_RECORD_BYTES
      this.#records.set(this.#keccak.output.subarray(i * NODE_BYTES, (i + 1) * NODE_BYTES), at)
      this.#sort.add(this.#records.subarray(at, at + LEAF_RECORD_BYTES))
    }
    this.#count = 0
  }
}

async function storePlaces(trx: Transaction<DB>, snapshotId: string, sort: BucketSort, members: number): Promise<void> {
  let chunk = -1
  let parts: Buffer[] = []
  const store = async () => {
    if (parts.length > 0) await insertPlaces(trx, snapshotId, chunk, Buffer.concat(parts))
    parts = []
  }
  for await (const records of sort.sorted())
    for (let from = 0; from < records.length;) {
      const own = placeChunk(records.readUInt32BE(from), members)
      if (own !== chunk) await store()
      chunk = own
      let to = from
      while (to < records.length && placeChunk(records.readUInt32BE(to), members) === own) to += PLACE_BYTES
      parts.push(records.subarray(from, to))
      from = to
    }
  await store()
}
