import type { ReactNode } from 'react'
import { onDay } from '../shell/dates.ts'
import { texts } from '../texts/explore.ts'

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

/** A moment of the query service (Unix seconds) as a day; no moment is an open end. */
export const dayOf = (time: number | null) =>
  time === null ? texts.noTime : onDay(new Date(time * 1_000).toISOString())
