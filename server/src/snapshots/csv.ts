import type { RankedEntry } from './entries.ts'

export const CSV_HEAD = 'rank,address,points\n'

/** A line of the CSV file, whose SHA-256 is the digest of a snapshot. */
export function csvLine({ rank, address, points }: RankedEntry): string {
  const field = /[",\n\r]/.test(address) ? `"${address.replaceAll('"', '""')}"` : address
  return `${rank},${field},${points}\n`
}
