import { describe, expect, it } from 'vitest'
import { runningSprint } from '../src/points/running-sprint.ts'

const NOW = Date.parse('2026-11-15T00:00:00Z')
const sprint = (sprintId: number, startTime: string | null, endTime: string | null = null) => ({
  sprintId,
  name: '',
  version: '',
  startTime,
  endTime,
})

describe('the running sprint, by the rule for quests', () => {
  it.each([
    ['none without a start', [sprint(1, null)], undefined],
    ['none before the start', [sprint(1, '2026-11-15T00:00:01Z')], undefined],
    ['none from the end on', [sprint(1, '2026-11-01T00:00:00Z', '2026-11-15T00:00:00Z')], undefined],
    ['one without an end, from its start on', [sprint(1, '2026-11-15T00:00:00Z')], '1'],
    ['the one with the latest start', [sprint(2, '2026-11-01T00:00:00Z'), sprint(1, '2026-11-02T00:00:00Z')], '1'],
    ['the newest of equal ones', [sprint(1, '2026-11-01T00:00:00Z'), sprint(2, '2026-11-01T00:00:00Z')], '2'],
  ])('is %s', (_, sprints, expected) => {
    expect(runningSprint(sprints, NOW)).toBe(expected)
  })
})
