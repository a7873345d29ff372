import type { EditedSprint } from '../api/content.ts'

/** The sprint for which completed quests count at a time, by the rule of the service: the one with the latest start. */
export function runningSprint(sprints: readonly EditedSprint[], now: number): string | undefined {
  const [latest] = sprints
    .filter(({ startTime, endTime }) => startTime !== null && !isAfter(startTime, now) && isOpen(endTime, now))
    .toSorted((a, b) => timeOf(b) - timeOf(a) || b.sprintId - a.sprintId)
  return latest && String(latest.sprintId)
}

const isAfter = (time: string, now: number) => Date.parse(time) > now
const isOpen = (endTime: string | null, now: number) => endTime === null || isAfter(endTime, now)
const timeOf = ({ startTime }: EditedSprint) => Date.parse(startTime ?? '')
