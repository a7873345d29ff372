import type { ReactNode } from 'react'
import { onDay } from '../shell/dates.ts'
import { explore as texts } from '../texts/index.ts'

/** Names with what they are; those without a value are left out. */
export function Values({ of }: { of: [name: string, value: ReactNode][] }) {
  return (
    <dl className="values facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Moments of the query service (Unix seconds) as days. */
export function periodOf({ startTime, endTime }: { startTime: number | null; endTime: number | null }): string {
  const start = startTime === null ? undefined : dayOf(startTime)
  const end = endTime === null ? undefined : dayOf(endTime)
  if (start !== undefined && end !== undefined) return texts.period(start, end)
  if (start !== undefined) return texts.periodFrom(start)
  return end === undefined ? texts.periodOpen : texts.periodUntil(end)
}

const dayOf = (time: number) => onDay(new Date(time * 1_000).toISOString())
