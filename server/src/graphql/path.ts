/** Where a value stands in the answer; grows downward by one link a step, and is spelled out only for an error. */
export interface Path {
  readonly above: Path | undefined
  readonly key: string | number
}

/** The path as it stands in `errors[].path`. */
export function spellPath(path: Path | undefined): (string | number)[] {
  const keys = []
  for (let at = path; at; at = at.above) keys.push(at.key)
  return keys.reverse()
}
