import type { Kysely } from 'kysely'
import { canonicalMember, isPartOfAddress, WHOLE_ADDRESS } from '../addresses/addresses.ts'
import type { DB } from '../database/tables.ts'
import { readEntryChunks, readNodes, readPlaces } from './contents.queries.ts'
import { ENTRIES_PER_CHUNK, type RankedEntry, unpackEntries } from './entries.ts'
import { placeChunk, placeKey, placesWith } from './places.ts'
import { invalid, SnapshotError } from './snapshot-error.ts'
import { wrongFormat } from '../texts/faults.ts'
import type { Snapshot } from './snapshots.queries.ts'
import { proofNodes } from './tree.ts'

/** A member of a sealed list. */
export interface FoundMember extends RankedEntry {
  /** The number of the leaf; undefined outside of the tree. */
  leaf: number | undefined
}

/** The proof that an address and its amount are in the Merkle tree. */
export interface MerkleProof {
  address: string
  rank: number
  /** The second value of the leaf. */
  amount: string
  leaf: string
  /** The hashes for OpenZeppelin's MerkleProof, in order. */
  proof: string[]
  root: string
}

const malformed = () => invalid('address', `must be ${WHOLE_ADDRESS}`, wrongFormat('member'))

/** @throws SnapshotError if the address is malformed or not in the list */
export async function findMember(kysely: Kysely<DB>, snapshot: Snapshot, text: string): Promise<FoundMember> {
  const address = canonicalMember(text)
  if (address === undefined) throw malformed()
  const key = placeKey(address)
  const places = await readPlaces(kysely, snapshot.id, placeChunk(key, snapshot.members ?? 0))
  for (const { entry: at, leaf } of placesWith(key, places ?? Buffer.alloc(0))) {
    const entry = await readEntry(kysely, snapshot.id, at)
    if (entry?.address === address) return { ...entry, leaf }
  }
  // Checked last, because a list can contain a handle such as 0xfee.
  if (isPartOfAddress(address)) throw malformed()
  throw new SnapshotError('NOT_FOUND', `The address ${address} is not in the snapshot.`, 'address')
}

async function readEntry(kysely: Kysely<DB>, snapshotId: string, place: number): Promise<RankedEntry | undefined> {
  const wanted = Math.floor(place / ENTRIES_PER_CHUNK)
  const [found] = await readEntryChunks(kysely, snapshotId, wanted, 1)
  if (found?.chunk !== wanted) return undefined
  return [...unpackEntries(found.entries, wanted, found.firstRank)][place % ENTRIES_PER_CHUNK]
}

/** @throws SnapshotError if the address has no leaf */
export async function proveMember(kysely: Kysely<DB>, snapshot: Snapshot, text: string): Promise<MerkleProof> {
  const member = await findMember(kysely, snapshot, text)
  const proof = await buildProof(kysely, snapshot, member)
  if (proof === undefined)
    throw new SnapshotError(
      'NOT_FOUND',
      `The address ${member.address} is in the snapshot, but not in its Merkle tree: only EVM addresses with 0 or more points are.`,
      'address',
    )
  return proof
}

/** @returns undefined if the member has no leaf */
export async function buildProof(
  kysely: Kysely<DB>,
  { id, root, leaves }: Snapshot,
  { address, rank, points, leaf }: FoundMember,
): Promise<MerkleProof | undefined> {
  if (leaf === undefined || root === null || leaves === null) return undefined
  const [own, ...siblings] = await readNodes(kysely, id, [leaf, ...proofNodes(leaf, leaves)])
  return { address, rank, amount: String(points), leaf: hex(own), proof: siblings.map(hex), root }
}

const hex = (bytes: Buffer | undefined): string => `0x${bytes?.toString('hex')}`
