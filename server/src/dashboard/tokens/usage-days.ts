import { z } from 'zod'
import { readCount } from '../../api/read-body.ts'
import { DAY } from '../../clock.ts'

const MAX_DAYS = 90
const DEFAULT_DAYS = 30

/** The query of requests for usage by day. */
export const usageDays = {
  days: { description: `back from today, 1 to ${MAX_DAYS}`, shape: z.int().min(1).max(MAX_DAYS) },
}

export const readUsageDays = ({ days }: Record<string, unknown>): number =>
  readCount('days', days, MAX_DAYS, DEFAULT_DAYS)

/** The first of the days that end today: YYYY-MM-DD, UTC. */
export const firstDay = (now: number, days: number): string =>
  new Date(now - (days - 1) * DAY).toISOString().slice(0, 10)
