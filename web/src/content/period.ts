interface Period {
  startTime: string | null
  endTime: string | null
}

/** Whether a period does not end before its start. Both times are ISO 8601. */
export const endsAfterStart = ({ startTime, endTime }: Period): boolean =>
  startTime === null || endTime === null || Date.parse(startTime) <= Date.parse(endTime)
