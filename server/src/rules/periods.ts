import { DAY } from '../clock.ts'
import type { CAP_PERIODS } from './rule-kinds.ts'

/** Days since 1970 in UTC. */
export const dayOf = (time: number): number => Math.floor(time / DAY)

/** 1 January 1970 was a Thursday, so this is a Monday. */
const A_MONDAY = 4

/** The first day of the period that contains a time, as days since 1970. */
export function periodOf(per: (typeof CAP_PERIODS)[number], time: number): number {
  const day = dayOf(time)
  switch (per) {
    case 'day':
      return day
    case 'week':
      return day - ((((day - A_MONDAY) % 7) + 7) % 7)
    case 'month': {
      const date = new Date(time)
      return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
    }
    case 'ever':
      return 0
  }
}
