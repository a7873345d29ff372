/**
 * Creation times (milliseconds since 1970) that list quests in the source's order, newest first. Known times that
 * already fit remain, so that another run changes nothing.
 * @param ids newest first
 * @param known the stored creation times
 */
export function creationTimes(
  ids: readonly string[],
  known: ReadonlyMap<string, number>,
  now: number,
): Map<string, number> {
  const times = new Map<string, number>()
  let older = -Infinity
  for (let place = ids.length - 1; place >= 0; place--) {
    const id = ids[place] as string
    const time = Math.max(older + 1, known.get(id) ?? beforeNewer(ids, place, known, now))
    times.set(id, time)
    older = time
  }
  return times
}

/** Leaves room for the quests between a new quest and the next newer known one. */
function beforeNewer(ids: readonly string[], place: number, known: ReadonlyMap<string, number>, now: number): number {
  for (let newer = place - 1; newer >= 0; newer--) {
    const time = known.get(ids[newer] as string)
    if (time !== undefined) return Math.min(now, time) - (place - newer)
  }
  return now - place
}
