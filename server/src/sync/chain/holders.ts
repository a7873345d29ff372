import type { Reading } from '../reading.ts'

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const PAGE = 10_000

/**
 * Passes on all addresses of a list, one page at a time. @param pageAfter the next addresses, in order, after one of
 * them
 */
export async function giveAll(
  reading: Reading,
  pageAfter: (after: string, limit: number) => Promise<string[]>,
): Promise<void> {
  for (let after = ''; ;) {
    const page = await pageAfter(after, PAGE)
    if (page.length > 0) await reading.give(page)
    if (page.length < PAGE) return
    after = page.at(-1) as string
  }
}
