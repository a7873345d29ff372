/**
 * Converts a row of a ranking to the metrics of the API (docs/ranking.md). Scores have up to 14 digits
 * before and 6 after the point, more than a double can hold. Sums and texts are computed in millionths; only rates and
 * percentages are floating point.
 */

/** `StarboardMetricValue` of the schema. Floats have at most 6 decimals; `delta` is a 32-bit integer. */
export interface StarboardMetric {
  value: string
  delta: number
  deltaRate: number
  percentage: number
}

/** The values of one user in a ranking, with numerics as text. */
export interface RankedScore {
  rank: number
  score: string
  previous_rank: number | null
  previous_score: string | null
  score_24h: string | null
  score_7d: string | null
  score_30d: string | null
}

/** A negative `delta` is an improvement. `percentage` is the percentile: 100 × (users − rank + 1) / users. */
export function rankMetric(rank: number, previousRank: number | null, userCount: number): StarboardMetric {
  const delta = previousRank === null ? 0 : rank - previousRank
  return {
    value: String(rank),
    delta,
    deltaRate: previousRank === null ? 0 : sixDecimals(delta / previousRank),
    percentage: sixDecimals((100 * (userCount - rank + 1)) / userCount),
  }
}

/** `percentage` is the percentage of the top score, or 0 if the top score is 0. */
export function influenceScoreMetric(score: string, previousScore: string | null, topScore: string): StarboardMetric {
  const current = millionths(score)
  const top = millionths(topScore)
  const change = previousScore === null ? 0n : current - millionths(previousScore)
  return {
    value: decimal(current),
    delta: toInt(change),
    deltaRate: previousScore === null ? 0 : sixDecimals(ratio(change, millionths(previousScore))),
    percentage: sixDecimals(100 * ratio(current, top)),
  }
}

/** The change since the start of a period; all zero if the user had no score then. */
export function changeMetric(score: string, scoreThen: string | null): StarboardMetric {
  if (scoreThen === null) return { value: '0', delta: 0, deltaRate: 0, percentage: 0 }
  const then = millionths(scoreThen)
  const change = millionths(score) - then
  const rate = ratio(change, then)
  return {
    value: decimal(change),
    delta: toInt(change),
    deltaRate: sixDecimals(rate),
    percentage: sixDecimals(100 * rate),
  }
}

const MILLION = 1_000_000n
const MAX_INT = 2_147_483_647n

function millionths(numeric: string): bigint {
  const negative = numeric.startsWith('-')
  const [whole = '', fraction = ''] = numeric.slice(negative ? 1 : 0).split('.')
  const magnitude = BigInt(whole + fraction.padEnd(6, '0').slice(0, 6))
  return negative ? -magnitude : magnitude
}

/** Without trailing zeros: `12.5`, `-3`, `0`. */
function decimal(amount: bigint): string {
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % MILLION).toString().padStart(6, '0').replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${magnitude / MILLION}${fraction === '' ? '' : `.${fraction}`}`
}

/** Rounds half away from zero and clamps to 32 bits. */
function toInt(amount: bigint): number {
  const magnitude = ((amount < 0n ? -amount : amount) + MILLION / 2n) / MILLION
  const held = Number(magnitude > MAX_INT ? MAX_INT : magnitude)
  return amount < 0n && held > 0 ? -held : held
}

function ratio(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole)
}

/** Adding 0 converts -0, which JSON cannot represent, to 0. */
function sixDecimals(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0
}
