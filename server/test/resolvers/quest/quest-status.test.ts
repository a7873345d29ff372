import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dueTransitions,
  nextStatus,
  nextTransitionAt,
  type QuestState,
  type QuestStatus,
  statusAt,
} from '../../../src/resolvers/quest/quest-status.ts'

const START = 1_000
const END = 2_000

function quest(overrides: Partial<QuestState> = {}): QuestState {
  return {
    status: 'Active',
    autoStatus: true,
    startTime: START,
    endTime: END,
    cap: 0,
    participantsCount: 0,
    ...overrides,
  }
}

describe('one step', () => {
  test('publishes a draft as NotStarted before its start', () => {
    expect(nextStatus(quest({ status: 'Draft' }), 500)).toEqual({
      from: 'Draft',
      to: 'NotStarted',
      reason: 'published',
      at: 500,
    })
  })
  test('publishes a draft as Active after its start or without one', () => {
    expect(nextStatus(quest({ status: 'Draft' }), START)).toMatchObject({ to: 'Active', at: START })
    expect(nextStatus(quest({ status: 'Draft', startTime: null }), 500)).toMatchObject({ to: 'Active' })
  })
  test('activates a quest exactly at its start', () => {
    expect(nextStatus(quest({ status: 'NotStarted' }), START - 1)).toBeUndefined()
    expect(nextStatus(quest({ status: 'NotStarted' }), START + 7)).toEqual({
      from: 'NotStarted',
      to: 'Active',
      reason: 'start',
      at: START,
    })
  })
  test('expires an active quest at its end', () => {
    expect(nextStatus(quest(), END - 1)).toBeUndefined()
    expect(nextStatus(quest(), END)).toEqual({ from: 'Active', to: 'Expired', reason: 'end', at: END })
  })
  test('sets CapReached when the number of participants reaches the cap', () => {
    expect(nextStatus(quest({ cap: 3, participantsCount: 2 }), 1_500)).toBeUndefined()
    expect(nextStatus(quest({ cap: 3, participantsCount: 3 }), 1_500)).toEqual({
      from: 'Active',
      to: 'CapReached',
      reason: 'cap',
      at: 1_500,
    })
  })
  test('expires a full quest directly after its end', () => {
    expect(nextStatus(quest({ cap: 3, participantsCount: 3 }), END)).toMatchObject({ to: 'Expired' })
  })
  test('treats a cap of 0 as unlimited', () => {
    expect(nextStatus(quest({ cap: 0, participantsCount: 9 }), 1_500)).toBeUndefined()
  })
  test('keeps CapReached until the end, then expires the quest', () => {
    expect(nextStatus(quest({ status: 'CapReached', cap: 3, participantsCount: 1 }), 1_500)).toBeUndefined()
    expect(nextStatus(quest({ status: 'CapReached' }), END)).toMatchObject({ to: 'Expired', at: END })
  })
  test('never expires a quest without an end', () => {
    expect(nextStatus(quest({ endTime: null }), Number.MAX_SAFE_INTEGER)).toBeUndefined()
  })
  test('never leaves Expired and Deleted', () => {
    for (const status of ['Expired', 'Deleted'] as const)
      expect(
        nextStatus(quest({ status, startTime: null, endTime: null, cap: 1, participantsCount: 1 }), 1_500),
      ).toBeUndefined()
  })
  test('never changes the status of a quest without autoStatus', () => {
    for (const status of statuses) expect(nextStatus(quest({ status, autoStatus: false }), 9_999)).toBeUndefined()
  })
})

describe('several steps', () => {
  test('returns every missed transition with the time it was due', () => {
    expect(dueTransitions(quest({ status: 'NotStarted' }), 9_000)).toEqual([
      { from: 'NotStarted', to: 'Active', reason: 'start', at: START },
      { from: 'Active', to: 'Expired', reason: 'end', at: END },
    ])
  })
  test('dates no transition before the previous one', () => {
    expect(dueTransitions(quest({ status: 'Draft' }), 9_000).map((step) => [step.to, step.at])).toEqual([
      ['Active', 9_000],
      ['Expired', 9_000],
    ])
    expect(dueTransitions(quest(), 9_000, 8_000)).toMatchObject([{ to: 'Expired', at: 8_000 }])
  })
})

const statuses: QuestStatus[] = ['Draft', 'Active', 'NotStarted', 'Expired', 'CapReached', 'Deleted']
const time = fc.option(fc.integer({ min: 1, max: 100 }))
const anyQuest = fc
  .record({
    status: fc.constantFrom(...statuses),
    autoStatus: fc.boolean(),
    startTime: time,
    endTime: time,
    cap: fc.integer({ min: 0, max: 3 }),
    participantsCount: fc.integer({ min: 0, max: 4 }),
  })
  .filter((q) => q.startTime === null || q.endTime === null || q.startTime <= q.endTime)

test('returns a transition exactly when nextTransitionAt has passed', () => {
  fc.assert(
    fc.property(anyQuest, fc.integer({ min: 0, max: 120 }), (q, now) => {
      const at = nextTransitionAt(q)
      expect(nextStatus(q, now) !== undefined).toBe(at !== null && at <= now)
    }),
  )
})

test('computes the same status in one step and in several', () => {
  fc.assert(
    fc.property(anyQuest, fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 }), (q, a, b) => {
      const [early, late] = a < b ? [a, b] : [b, a]
      // The time of publishing and of CapReached is that of the evaluation, so both depend on intermediate steps.
      fc.pre(q.status !== 'Draft' && !(q.cap > 0 && q.participantsCount >= q.cap))
      expect(statusAt({ ...q, status: statusAt(q, early) }, late)).toBe(statusAt(q, late))
    }),
  )
})
