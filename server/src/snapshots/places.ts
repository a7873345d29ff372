/** The place of an address: the numbers of its entry in the list and of its leaf in the tree. */
export interface ListPosition {
  entry: number
  /** Undefined for addresses that have no leaf. */
  leaf: number | undefined
}

/** A record: 4 bytes of a hash of the address, 4 bytes of the entry, 4 bytes of the leaf. */
export const PLACE_BYTES = 12
export const NO_LEAF = 0xffff_ffff

/** The average number of places in a row of `snapshot_places`. */
const PLACES_PER_CHUNK = 1_024

/** A hash of an address with 32 bits: FNV-1a, and the last steps of MurmurHash3 to mix the upper bits. */
export function placeKey(address: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < address.length; i++) hash = Math.imul(hash ^ address.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The row with the place of a key: the upper bits of the key, as many as the number of entries needs. */
export function placeChunk(key: number, entries: number): number {
  const bits = Math.max(0, Math.ceil(Math.log2(entries / PLACES_PER_CHUNK)))
  return Math.floor(key / 2 ** (32 - bits))
}

/** The places with a key; usually one, because few addresses share a hash. */
export function* placesWith(key: number, places: Buffer): Generator<ListPosition> {
  for (let at = 0; at < places.length; at += PLACE_BYTES) {
    if (places.readUInt32BE(at) !== key) continue
    const leaf = places.readUInt32BE(at + 8)
    yield { entry: places.readUInt32BE(at + 4), leaf: leaf === NO_LEAF ? undefined : leaf }
  }
}
