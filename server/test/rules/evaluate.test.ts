import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { evaluate, type MemberStates, type RuleEvent } from '../../src/rules/evaluate.ts'
import { periodOf } from '../../src/rules/periods.ts'
import { readRules } from '../../src/rules/rule-sets.ts'
import { CAP_PERIODS, type Rule } from '../../src/rules/rule-kinds.ts'

const START = Date.parse('2026-11-20T00:00:00Z')

/** A rule with these fields; undefined removes one. */
function rule(fields: object): Rule {
  const all = { id: 'r', description: 'A rule', points: 10, kind: 'claim', ...fields }
  return readRules(JSON.parse(JSON.stringify({ rules: [all] })))[0] as Rule
}
const event = (fields: Partial<RuleEvent> = {}): RuleEvent => ({
  kind: 'claim',
  ref: 'e',
  address: 'ann',
  points: 50,
  at: START,
  questId: 'GC1',
  ...fields,
})
/** The points that a rule gives for events in this order. */
function pointsOf(one: Rule, events: readonly RuleEvent[]): number[] {
  const states: MemberStates = new Map()
  return events.map((each) => evaluate([one], each, states).reduce((sum, { points }) => sum + points, 0))
}
const total = (one: Rule, events: readonly RuleEvent[]) => pointsOf(one, events).reduce((sum, each) => sum + each, 0)

describe('the kinds of rules', () => {
  it('give points for claims, of all quests or of the named ones', () => {
    expect(pointsOf(rule({}), [event(), event({ kind: 'award' })])).toEqual([10, 0])
    const named = rule({ quests: ['GC1', 'GC2'] })
    expect(pointsOf(named, [event(), event({ questId: 'GC2' }), event({ questId: 'GC3' })])).toEqual([10, 10, 0])
  })

  it('give points for awards of at least so many points', () => {
    const awards = [1, 20, 19].map((points) => event({ kind: 'award', points }))
    expect(pointsOf(rule({ kind: 'award' }), awards)).toEqual([10, 10, 10])
    expect(pointsOf(rule({ kind: 'award', minPoints: 20 }), [...awards, event()])).toEqual([0, 10, 0, 0])
  })

  it('multiply points, rounded down', () => {
    const window = { from: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z', points: undefined }
    const double = rule({ kind: 'multiplier', on: 'claim', factor: 2, ...window })
    expect(pointsOf(double, [event(), event({ at: START - 1 }), event({ at: START + DAY })])).toEqual([50, 0, 0])
    const tenth = rule({ kind: 'multiplier', on: 'award', factor: 1.1, ...window })
    expect(
      pointsOf(
        tenth,
        [9, 10, 19, 1_000].map((points) => event({ kind: 'award', points })),
      ),
    ).toEqual([0, 1, 1, 100])
  })

  it('give referrers points for the first claim or for all, with a part of its points', () => {
    const referral = (fields: Partial<RuleEvent>) => event({ kind: 'referral', ...fields })
    const events = [referral({ first: true }), referral({ first: false }), event()]
    expect(pointsOf(rule({ kind: 'referral' }), events)).toEqual([10, 0, 0])
    expect(pointsOf(rule({ kind: 'referral', claims: 'all', percent: 25 }), events)).toEqual([22, 22, 0])
  })

  it('give points after days in a row, again or once', () => {
    const days = [0, 0, 1, 2, 3, 5, 6].map((day) => event({ at: START + day * DAY + 23 * HOUR }))
    expect(pointsOf(rule({ kind: 'streak', on: 'claim', days: 2 }), days)).toEqual([0, 0, 10, 0, 10, 0, 10])
    expect(pointsOf(rule({ kind: 'streak', on: 'claim', days: 2, repeat: false }), days)).toEqual([
      0, 0, 10, 0, 0, 0, 10,
    ])
  })

  it('match logs of their credential with enough of an amount', () => {
    const log = (amount?: bigint, credentialId = '7') => event({ kind: 'log', points: 0, credentialId, amount })
    const logs = [log(), log(9n), log(10n), log(10n ** 40n), log(10n, '8'), event()]
    expect(pointsOf(rule({ kind: 'log', credential: '7' }), logs)).toEqual([10, 10, 10, 10, 0, 0])
    expect(pointsOf(rule({ kind: 'log', credential: '7', minAmount: '10' }), logs)).toEqual([0, 0, 10, 10, 0, 0])
    expect(pointsOf(rule({ kind: 'log', credential: '7', minAmount: '0' }), logs)).toEqual([0, 10, 10, 10, 0, 0])
  })

  it('do not match events of days and lists, which jobs give', () => {
    for (const kind of ['daily', 'holder'])
      expect(total(rule({ kind, ...(kind === 'daily' ? { minPoints: 0 } : { credential: '1' }) }), [event()])).toBe(0)
  })
})

const times = (most: number) =>
  fc
    .array(fc.integer({ min: 0, max: 80 * 24 }), { minLength: 1, maxLength: most })
    .map((hours) => hours.toSorted((a, b) => a - b).map((hour) => START + hour * HOUR))

describe('a cap', () => {
  it('gives each member the sum of each period up to the cap, as a plain model does', () => {
    const claims = times(40).chain((at) =>
      fc.tuple(...at.map((time) => fc.record({ at: fc.constant(time), points: fc.integer({ min: 1, max: 40 }) }))),
    )
    fc.assert(
      fc.property(claims, fc.constantFrom(...CAP_PERIODS), fc.integer({ min: 1, max: 100 }), (events, per, points) => {
        const capped = rule({
          kind: 'multiplier',
          on: 'claim',
          factor: 2,
          from: '2026-01-01T00:00:00Z',
          until: '2028-01-01T00:00:00Z',
          points: undefined,
          cap: { points, per },
        })
        const given = pointsOf(
          capped,
          events.map((one) => event(one)),
        )
        const byPeriod = Map.groupBy(events, ({ at }) => periodOf(per, at))
        const model = [...byPeriod.values()].map((own) =>
          Math.min(
            points,
            own.reduce((sum, one) => sum + one.points, 0),
          ),
        )
        expect(given.reduce((sum, one) => sum + one, 0)).toBe(model.reduce((sum, one) => sum + one, 0))
        for (const [i, one] of given.entries()) expect(one).toBeLessThanOrEqual(events[i]?.points ?? 0)
      }),
    )
  })

  it('counts each member separately', () => {
    const capped = rule({ cap: { points: 15, per: 'ever' } })
    const ann: MemberStates = new Map()
    const bob: MemberStates = new Map()
    const give = (states: MemberStates) => evaluate([capped], event(), states).map(({ points }) => points)
    expect([give(ann), give(ann), give(ann), give(bob)]).toEqual([[10], [5], [], [10]])
  })

  it('has days, weeks from Monday and months in UTC', () => {
    const day = (per: (typeof CAP_PERIODS)[number], time: string) =>
      new Date(periodOf(per, Date.parse(time)) * DAY).toISOString().slice(0, 10)
    expect(day('day', '2026-11-24T23:59:59Z')).toBe('2026-11-24')
    expect(day('week', '2026-11-24T12:00:00Z')).toBe('2026-11-23')
    expect(day('week', '2026-11-23T00:00:00Z')).toBe('2026-11-23')
    expect(day('week', '2026-11-22T23:59:59Z')).toBe('2026-11-16')
    expect(day('week', '1969-12-31T00:00:00Z')).toBe('1969-12-29')
    expect(day('month', '2026-11-30T23:59:59Z')).toBe('2026-11-01')
    expect(day('ever', '2026-11-24T12:00:00Z')).toBe('1970-01-01')
  })
})

describe('a window', () => {
  it('includes its beginning and excludes its end, as a plain model does', () => {
    const hour = fc.integer({ min: 0, max: 200 })
    fc.assert(
      fc.property(times(20), hour, hour, (at, first, length) => {
        const [from, until] = [START + first * HOUR, START + (first + length + 1) * HOUR]
        const windowed = rule({ from: new Date(from).toISOString(), until: new Date(until).toISOString() })
        const expected = at.map((time) => (time >= from && time < until ? 10 : 0))
        expect(
          pointsOf(
            windowed,
            at.map((time) => event({ at: time })),
          ),
        ).toEqual(expected)
      }),
    )
  })
})

describe('a streak', () => {
  /** The runs of the set of all days. */
  function modelOf(at: readonly number[], days: number, repeat: boolean): number {
    const all = new Set(at.map((time) => Math.floor(time / DAY)))
    let count = 0
    for (const first of all) {
      if (all.has(first - 1)) continue
      let length = 1
      while (all.has(first + length)) length++
      const times = Math.floor(length / days)
      count += repeat ? times : Math.min(times, 1)
    }
    return count
  }
  const streakOf = (days: number, repeat: boolean) => rule({ kind: 'streak', on: 'claim', days, repeat })
  const length = fc.integer({ min: 2, max: 6 })

  it('counts the days in a row of a plain model', () => {
    fc.assert(
      fc.property(times(60), length, fc.boolean(), (at, days, repeat) => {
        const given = total(
          streakOf(days, repeat),
          at.map((time) => event({ at: time })),
        )
        expect(given).toBe(10 * modelOf(at, days, repeat))
      }),
    )
  })

  it('counts an event that arrives after the next one', () => {
    const late = times(60).chain((at) =>
      fc.nat({ max: Math.max(0, at.length - 2) }).map((place) => {
        const swapped = [...at]
        const [one, other] = [at[place], at[place + 1]]
        if (one !== undefined && other !== undefined) [swapped[place], swapped[place + 1]] = [other, one]
        return swapped
      }),
    )
    fc.assert(
      fc.property(late, length, (at, days) => {
        const given = total(
          streakOf(days, true),
          at.map((time) => event({ at: time })),
        )
        expect(given).toBe(10 * modelOf(at, days, true))
      }),
    )
  })
})

describe('a document of rules', () => {
  const refusalOf = (...rules: unknown[]) => {
    try {
      readRules({ rules })
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  const claim = { id: 'a', description: 'A', kind: 'claim', points: 1 }

  it.each([
    [
      { ...claim, kind: 'lottery' },
      'rules.0.kind must be one of claim, award, holder, log, daily, multiplier, streak, referral',
    ],
    [{ ...claim, id: 'A b' }, 'rules.0.id must be 1 to 40 characters of a-z, 0-9 and -, starting with a letter'],
    [{ ...claim, description: '' }, 'rules.0.description must be 1 to 200 characters'],
    [{ ...claim, points: 0 }, 'rules.0.points must be a whole number from 1 to 1000000'],
    [{ ...claim, points: 1.5 }, 'rules.0.points must be a whole number from 1 to 1000000'],
    [{ ...claim, points: undefined }, 'rules.0.points'],
    [{ ...claim, quests: [] }, 'rules.0.quests must name at least one quest'],
    [{ ...claim, quests: ['a b'] }, 'rules.0.quests.0 must be the id of a quest'],
    [{ ...claim, from: 'now' }, 'rules.0.from must be a time such as'],
    [{ ...claim, from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'rules.0.until must be after from'],
    [{ ...claim, cap: { points: 5, per: 'hour' } }, 'rules.0.cap.per'],
    [{ ...claim, cap: { points: 0, per: 'day' } }, 'rules.0.cap.points must be a whole number'],
    [{ ...claim, expression: '1+1' }, 'rules.0.expression is not a known field'],
    [{ ...claim, kind: 'holder', credential: 'x' }, 'rules.0.credential must be the id of a credential'],
    [{ ...claim, kind: 'log' }, 'rules.0.credential'],
    [
      { ...claim, kind: 'log', credential: '1', minAmount: 5 },
      'rules.0.minAmount must be a whole number of base units, as a string',
    ],
    [{ ...claim, kind: 'log', credential: '1', minAmount: '-5' }, 'rules.0.minAmount must be a whole number'],
    [{ ...claim, kind: 'log', credential: '1', existing: true }, 'rules.0.existing is not a known field'],
    [{ ...claim, kind: 'daily' }, 'rules.0.holdersOf must have either holdersOf or minPoints'],
    [
      { ...claim, kind: 'daily', holdersOf: '1', minPoints: 1 },
      'rules.0.holdersOf must have either holdersOf or minPoints',
    ],
    [{ ...claim, kind: 'streak', on: 'claim', days: 1 }, 'rules.0.days must be a whole number from 2 to 366'],
    [{ ...claim, kind: 'streak', on: 'award', days: 2, quests: ['GC1'] }, 'rules.0.quests applies only to claims'],
    [{ ...claim, kind: 'referral', points: 0 }, 'rules.0.points must be above 0, or percent must be'],
    [{ ...claim, kind: 'referral', percent: 101 }, 'rules.0.percent must be a whole number from 0 to 100'],
    [
      { id: 'a', description: 'A', kind: 'multiplier', on: 'claim', factor: 2, from: '2026-01-01T00:00:00Z' },
      'rules.0.until',
    ],
    [
      {
        id: 'a',
        description: 'A',
        kind: 'multiplier',
        on: 'claim',
        factor: 1.005,
        from: '2026-01-01T00:00:00Z',
        until: '2026-01-02T00:00:00Z',
      },
      'rules.0.factor',
    ],
  ])('rejects %j', (one, message) => {
    expect(refusalOf(one)).toContain(message)
  })

  it('rejects an id that is used twice, and more than 50 rules', () => {
    expect(refusalOf(claim, claim)).toBe('rules.1.id is the id of another rule')
    const many = Array.from({ length: 51 }, (_, i) => ({ ...claim, id: `r${i}` }))
    expect(refusalOf(...many)).toBe('rules must have at most 50 rules')
    expect(refusalOf(...many.slice(1))).toBeUndefined()
  })

  it('rejects other documents', () => {
    for (const document of [undefined, null, [], 'x', { rules: 'x' }, { rules: [7] }, { rule: [] }])
      expect(() => readRules(document)).toThrow(/body|rules|rule/)
  })
})
