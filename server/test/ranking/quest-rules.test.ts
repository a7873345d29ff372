import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dueTransitions,
  nextStatus,
  nextTransitionAt,
  type QuestState,
  type QuestStatus,
  statusAt,
} from '../../src/features/quest/quest.rules.ts'

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
  test('a draft is published as NotStarted before its start', () => {
    expect(nextStatus(quest({ status: 'Draft' }), 500)).toEqual({
      from: 'Draft',
      to: 'NotStarted',
      reason: 'published',
      at: 500,
    })
  })
  test('a draft is published as Active from its start on, or without a start', () => {
    expect(nextStatus(quest({ status: 'Draft' }), START)).toMatchObject({ to: 'Active', at: START })
    expect(nextStatus(quest({ status: 'Draft', startTime: null }), 500)).toMatchObject({ to: 'Active' })
  })
  test('NotStarted becomes Active at its start, not a millisecond earlier', () => {
    expect(nextStatus(quest({ status: 'NotStarted' }), START - 1)).toBeUndefined()
    expect(nextStatus(quest({ status: 'NotStarted' }), START + 7)).toEqual({
      from: 'NotStarted',
      to: 'Active',
      reason: 'start',
      at: START,
    })
  })
  test('Active becomes Expired at its end', () => {
    expect(nextStatus(quest(), END - 1)).toBeUndefined()
    expect(nextStatus(quest(), END)).toEqual({ from: 'Active', to: 'Expired', reason: 'end', at: END })
  })
  test('Active becomes CapReached when the last place is taken', () => {
    expect(nextStatus(quest({ cap: 3, participantsCount: 2 }), 1_500)).toBeUndefined()
    expect(nextStatus(quest({ cap: 3, participantsCount: 3 }), 1_500)).toEqual({
      from: 'Active',
      to: 'CapReached',
      reason: 'cap',
      at: 1_500,
    })
  })
  test('a full quest whose end has passed goes to Expired directly', () => {
    expect(nextStatus(quest({ cap: 3, participantsCount: 3 }), END)).toMatchObject({ to: 'Expired' })
  })
  test('a cap of 0 is no cap', () => {
    expect(nextStatus(quest({ cap: 0, participantsCount: 9 }), 1_500)).toBeUndefined()
  })
  test('CapReached stays until its end, then expires', () => {
    expect(nextStatus(quest({ status: 'CapReached', cap: 3, participantsCount: 1 }), 1_500)).toBeUndefined()
    expect(nextStatus(quest({ status: 'CapReached' }), END)).toMatchObject({ to: 'Expired', at: END })
  })
  test('a quest without an end never expires', () => {
    expect(nextStatus(quest({ endTime: null }), Number.MAX_SAFE_INTEGER)).toBeUndefined()
  })
  test('Expired and Deleted are final', () => {
    for (const status of ['Expired', 'Deleted'] as const)
      expect(
        nextStatus(quest({ status, startTime: null, endTime: null, cap: 1, participantsCount: 1 }), 1_500),
      ).toBeUndefined()
  })
  test('a quest that keeps what it was told never moves', () => {
    for (const status of statuses) expect(nextStatus(quest({ status, autoStatus: false }), 9_999)).toBeUndefined()
  })
})

describe('several steps', () => {
  test('a quest that slept through its whole period passes every status, each at its time', () => {
    expect(dueTransitions(quest({ status: 'NotStarted' }), 9_000)).toEqual([
      { from: 'NotStarted', to: 'Active', reason: 'start', at: START },
      { from: 'Active', to: 'Expired', reason: 'end', at: END },
    ])
  })
  test('no step is dated before the one that led to it', () => {
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

test('a transition is due exactly when its time has come', () => {
  fc.assert(
    fc.property(anyQuest, fc.integer({ min: 0, max: 120 }), (q, now) => {
      const at = nextTransitionAt(q)
      expect(nextStatus(q, now) !== undefined).toBe(at !== null && at <= now)
    }),
  )
})

test('the status is the same however often it was looked at in between', () => {
  fc.assert(
    fc.property(anyQuest, fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 }), (q, a, b) => {
      const [early, late] = a < b ? [a, b] : [b, a]
      // A draft is published when it is seen first, and a cap counts from when it is seen, so both start alike.
      fc.pre(q.status !== 'Draft' && !(q.cap > 0 && q.participantsCount >= q.cap))
      expect(statusAt({ ...q, status: statusAt(q, early) }, late)).toBe(statusAt(q, late))
    }),
  )
})
