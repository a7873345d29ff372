import { z } from 'zod'
import { canonicalMember } from '../addresses/addresses.ts'
import { type LedgerSource, ledgerSources } from '../ranking/ledger.ts'
import { invalid } from './ledger-error.ts'
import { fault, wrongFormat } from '../texts/faults.ts'

/** A filter that is undefined matches all. */
export interface EntryFilter {
  /** The members, in canonical form. */
  addresses?: readonly string[] | undefined
  /** 0 for entries without a sprint. */
  sprintId?: number | undefined
  sources?: readonly LedgerSource[] | undefined
  from?: Date | undefined
  /** Exclusive. */
  to?: Date | undefined
}

/** Entries of a space. */
export interface LedgerFilter extends EntryFilter {
  spaceId: number
}

const MAX_ID = 2_147_483_647

export const filterParameters = {
  address: 'only entries of this member',
  sprintId: 'only entries of this sprint; 0: only entries without a sprint',
  source: `only entries with one of these sources, separated by commas: ${ledgerSources.join(', ')} (docs/ledger.md)`,
  from: 'only entries at or after this time, RFC 3339',
  to: 'only entries before this time, RFC 3339',
} as const

type Parameters = Partial<Record<keyof typeof filterParameters, unknown>>

/** Reads a filter from texts. @throws LedgerError that names the parameter and the allowed values */
export function readFilter({ address, sprintId, source, from, to }: Parameters): EntryFilter {
  const filter = {
    addresses: readAddress(address),
    sprintId: readSprint(sprintId),
    sources: readSources(source),
    from: readTime('from', from),
    to: readTime('to', to),
  }
  if (filter.from && filter.to && filter.from >= filter.to)
    throw invalid('to', 'must be after from', fault('not_after_start'))
  return filter
}

function readAddress(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  const address = typeof value === 'string' && value.isWellFormed() ? canonicalMember(value) : undefined
  if (address === undefined || address === '')
    throw invalid('address', 'must be an address or name of a member', wrongFormat('member'))
  return [address]
}

function readSprint(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^\d{1,10}$/.test(value) || Number(value) > MAX_ID)
    throw invalid(
      'sprintId',
      `must be a whole number from 0 to ${MAX_ID}`,
      fault('out_of_range', { min: 0, max: MAX_ID }),
    )
  return Number(value)
}

function readSources(value: unknown): LedgerSource[] | undefined {
  if (value === undefined) return undefined
  const names = typeof value === 'string' ? value.split(',') : []
  const sources = ledgerSources.filter((source) => names.includes(source))
  if (sources.length === 0 || names.some((name) => !sources.includes(name as LedgerSource)))
    throw invalid(
      'source',
      `must be one or several of ${ledgerSources.join(', ')}, separated by commas`,
      fault('not_one_of', { allowed: ledgerSources }),
    )
  return sources
}

const rfc3339 = z.iso.datetime({ offset: true })

function readTime(field: string, value: unknown): Date | undefined {
  if (value === undefined) return undefined
  const { data } = rfc3339.safeParse(value)
  const time = new Date(data ?? '')
  if (Number.isNaN(time.getTime()) || time.getTime() < 0)
    throw invalid(field, 'must be a time such as 2026-11-24T12:00:00Z', wrongFormat('time'))
  return time
}
