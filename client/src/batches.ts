/** The service allows 100 aliases or addresses per document. */
const BATCH_SIZE = 100

/** Loads values for many keys, 100 per request. Equal keys are loaded once. */
export async function inBatches<Value>(
  keys: Iterable<string>,
  load: (batch: string[]) => Promise<readonly Value[]>,
): Promise<Map<string, Value>> {
  const distinct = [...new Set(keys)]
  const values = new Map<string, Value>()
  for (let start = 0; start < distinct.length; start += BATCH_SIZE) {
    const batch = distinct.slice(start, start + BATCH_SIZE)
    const loaded = await load(batch)
    for (const [n, key] of batch.entries()) values.set(key, loaded[n] as Value)
  }
  return values
}
