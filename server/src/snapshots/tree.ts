import { BATCH, type Keccak } from './keccak.ts'

/**
 * The Merkle tree of OpenZeppelin's StandardMerkleTree. Its nodes are numbered from the leaves to the root: the leaves in
 * the order of their hashes, then the parents of the nodes 0 and 1, 2 and 3, and so on. With `n` leaves, the parent of the
 * nodes `2k` and `2k + 1` is `n + k`, and the root is `2n - 2`. The array of OpenZeppelin's library is the same, reversed.
 */

export const NODE_BYTES = 32

/** The number of nodes in a row of `snapshot_nodes`; even, so that siblings are in one row. */
export const NODES_PER_CHUNK = 2 * BATCH

export interface NodeStore {
  put(chunk: number, nodes: Buffer): Promise<void>
  get(chunk: number): Promise<Buffer>
}

/** The numbers of the nodes that prove a leaf, from the leaf's sibling to a child of the root. */
export function proofNodes(leaf: number, leaves: number): number[] {
  const nodes: number[] = []
  for (let node = leaf; node < 2 * leaves - 2; node = leaves + (node >> 1)) nodes.push(node ^ 1)
  return nodes
}

/** Writes the nodes in order: first all leaves, then `addParents`. */
export class TreeWriter {
  readonly #store: NodeStore
  readonly #keccak: Keccak
  #open = Buffer.allocUnsafe(NODES_PER_CHUNK * NODE_BYTES)
  #count = 0

  constructor(store: NodeStore, keccak: Keccak) {
    this.#store = store
    this.#keccak = keccak
  }

  /** Adds the nodes at the beginnings of records of `length` bytes. */
  async add(records: Uint8Array, length = NODE_BYTES): Promise<void> {
    for (let at = 0; at < records.length; at += length) {
      this.#open.set(records.subarray(at, at + NODE_BYTES), (this.#count % NODES_PER_CHUNK) * NODE_BYTES)
      this.#count++
      if (this.#count % NODES_PER_CHUNK !== 0) continue
      await this.#store.put(this.#count / NODES_PER_CHUNK - 1, this.#open)
      this.#open = Buffer.allocUnsafe(NODES_PER_CHUNK * NODE_BYTES)
    }
  }

  /** @returns the root; undefined for a tree without leaves */
  async addParents(): Promise<Buffer | undefined> {
    const leaves = this.#count
    if (leaves === 0) return undefined
    let pairs = 0
    let read: { chunk: number; nodes: Buffer } = { chunk: -1, nodes: this.#open }
    while (pairs < leaves - 1) {
      const first = 2 * pairs
      const chunk = Math.floor(first / NODES_PER_CHUNK)
      const isOpen = chunk === Math.floor(this.#count / NODES_PER_CHUNK)
      if (!isOpen && read.chunk !== chunk) read = { chunk, nodes: await this.#store.get(chunk) }
      const nodes = isOpen ? this.#open : read.nodes
      const end = Math.min(this.#count, (chunk + 1) * NODES_PER_CHUNK)
      const ready = Math.min(Math.floor((end - first) / 2), leaves - 1 - pairs)
      const from = (first % NODES_PER_CHUNK) * NODE_BYTES
      this.#keccak.input.set(nodes.subarray(from, from + ready * 2 * NODE_BYTES))
      orderPairs(this.#keccak.input, ready)
      this.#keccak.hash64(ready)
      pairs += ready
      await this.add(Buffer.from(this.#keccak.output.subarray(0, ready * NODE_BYTES)))
    }
    // The number of all nodes is odd, so the last row is never full.
    const rest = this.#open.subarray(0, (this.#count % NODES_PER_CHUNK) * NODE_BYTES)
    await this.#store.put(Math.floor(this.#count / NODES_PER_CHUNK), rest)
    return Buffer.from(rest.subarray(-NODE_BYTES))
  }
}

/** Puts the smaller node of each pair first. */
function orderPairs(pairs: Uint8Array, count: number): void {
  const words = new Uint32Array(pairs.buffer, pairs.byteOffset, count * 16)
  for (let pair = 0; pair < count; pair++) {
    const left = pair * 2 * NODE_BYTES
    let i = 0
    while (i < NODE_BYTES - 1 && pairs[left + i] === pairs[left + NODE_BYTES + i]) i++
    if ((pairs[left + i] as number) <= (pairs[left + NODE_BYTES + i] as number)) continue
    for (let word = pair * 16; word < pair * 16 + 8; word++) {
      const first = words[word] as number
      words[word] = words[word + 8] as number
      words[word + 8] = first
    }
  }
}
