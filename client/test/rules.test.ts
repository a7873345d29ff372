import {
  eligibilityReliable,
  groupMet,
  type ParticipationFacts,
  questAcceptsParticipation,
  type Reason,
} from '@questboard/client'
import { describe, expect, test } from 'vitest'

const now = new Date('2026-11-21T12:00:00Z')
const seconds = now.getTime() / 1_000

function codes({ reasons }: { reasons: ReadonlyArray<Reason<string>> }): string[] {
  return reasons.map(({ code }) => code)
}

describe('questAcceptsParticipation', () => {
  const open: ParticipationFacts = {
    status: 'Active',
    participantsCount: 5,
    cap: 10,
    startTime: seconds - 60,
    endTime: seconds + 60,
  }
  const accepts = (changes: Partial<ParticipationFacts>) => questAcceptsParticipation({ ...open, ...changes }, now)

  test('accepts an active quest below its cap and within its period', () => {
    expect(accepts({})).toEqual({ ok: true, reasons: [] })
  })

  test.each(['Draft', 'NotStarted', 'Expired', 'CapReached', 'Deleted', 'Paused'])(
    'rejects the status %s',
    (status) => {
      expect(accepts({ status })).toEqual({
        ok: false,
        reasons: [{ code: 'not_active', message: `The quest is not active; its status is ${status}` }],
      })
    },
  )

  test('rejects at the cap; a cap of 0 or less sets no limit', () => {
    expect(accepts({ participantsCount: 9 }).ok).toBe(true)
    expect(codes(accepts({ participantsCount: 10 }))).toEqual(['cap_reached'])
    expect(accepts({ participantsCount: 1_000, cap: 0 }).ok).toBe(true)
    expect(accepts({ participantsCount: 1_000, cap: -1 }).ok).toBe(true)
  })

  test('accepts from the start until just before the end', () => {
    expect(accepts({ startTime: seconds }).ok).toBe(true)
    expect(codes(accepts({ startTime: seconds + 1 }))).toEqual(['not_started'])
    expect(accepts({ endTime: seconds + 1 }).ok).toBe(true)
    expect(codes(accepts({ endTime: seconds }))).toEqual(['ended'])
  })

  test('sets no limit for a time that is null or absent', () => {
    expect(questAcceptsParticipation({ status: 'Active', participantsCount: 5, cap: 10 }, now).ok).toBe(true)
    expect(accepts({ startTime: null, endTime: null }).ok).toBe(true)
  })

  test('accepts times as text, as a number or a date', () => {
    expect(accepts({ startTime: String(seconds), endTime: '2026-11-21T12:00:01Z' }).ok).toBe(true)
    expect(codes(accepts({ endTime: '2026-11-21T12:00:00Z' }))).toEqual(['ended'])
  })

  test('rejects an unreadable time', () => {
    expect(codes(accepts({ endTime: 'soon' }))).toEqual(['unknown_time'])
  })

  test('returns every reason', () => {
    const verdict = accepts({ status: 'Expired', participantsCount: 10, endTime: seconds - 1 })
    expect(codes(verdict)).toEqual(['not_active', 'cap_reached', 'ended'])
    expect(verdict.reasons.map(({ message }) => message)).toEqual([
      'The quest is not active; its status is Expired',
      'All 10 places are taken',
      'The quest ended at 2026-11-21T11:59:59.000Z',
    ])
  })
})

describe('groupMet', () => {
  const conditions = (...eligible: boolean[]) => eligible.map((one, n) => ({ expression: `c${n}`, eligible: one }))

  test('accepts ALL if every condition is met, otherwise returns the unmet ones', () => {
    expect(groupMet({ conditionRelation: 'ALL', conditions: conditions(true, true) }).ok).toBe(true)
    expect(groupMet({ conditionRelation: 'ALL', conditions: [] }).ok).toBe(true)
    expect(groupMet({ conditionRelation: 'ALL', conditions: conditions(false, true, false) })).toEqual({
      ok: false,
      reasons: [
        { code: 'condition_not_met', message: 'Not met: c0' },
        { code: 'condition_not_met', message: 'Not met: c2' },
      ],
    })
  })

  test('accepts ANY if one condition is met', () => {
    expect(groupMet({ conditionRelation: 'ANY', conditions: conditions(false, true) }).ok).toBe(true)
    expect(groupMet({ conditionRelation: 'ANY', conditions: conditions(false, false) })).toEqual({
      ok: false,
      reasons: [{ code: 'no_condition_met', message: 'None of these is met: c0; c1' }],
    })
    expect(codes(groupMet({ conditionRelation: 'ANY', conditions: [] }))).toEqual(['no_condition_met'])
  })

  test('rejects an unknown relation', () => {
    expect(codes(groupMet({ conditionRelation: 'NONE', conditions: conditions(true) }))).toEqual(['unknown_relation'])
  })

  test('accepts only the boolean true as eligible', () => {
    const [condition] = JSON.parse('[{"expression": "c", "eligible": "false"}]') as ReturnType<typeof conditions>
    expect(groupMet({ conditionRelation: 'ANY', conditions: [condition!] }).ok).toBe(false)
  })
})

test('eligibilityReliable accepts only SYNCED credentials', () => {
  expect(eligibilityReliable({ syncStatus: 'SYNCED' })).toEqual({ ok: true, reasons: [] })
  expect(codes(eligibilityReliable({ syncStatus: 'SYNCING' }))).toEqual(['not_synced'])
  expect(codes(eligibilityReliable({ syncStatus: 'PAUSED' }))).toEqual(['not_synced'])
})
