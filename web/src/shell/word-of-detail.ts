interface Words {
  /** Of kinds of identities, and of scopes. */
  kinds: Record<string, string>
  details: Record<string, string>
  flags: Record<string, Record<string, string>>
}

/** Details with a word of the service. */
const WITH_WORD = ['by', 'how', 'kind', 'role', 'scopes', 'spaces', 'space', 'perSecond', 'perDay']

/** The word for a detail of an event. Names and texts of users are shown as they are, also `__proto__`. */
export function wordOfDetail(name: string, value: string, { kinds, details, flags }: Words): string {
  const known = WITH_WORD.includes(name) ? { ...details, ...kinds } : (flags[name] ?? {})
  return (Object.hasOwn(known, value) ? known[value] : undefined) ?? value
}

/** "Start, End" for `startTime, endTime`: a field without a label is shown as it is. */
export function labelsOf(fields: string, labels: Record<string, unknown>): string {
  const known = new Map(Object.entries(labels))
  const labelOf = (field: string) => {
    const label = known.get(field)
    return typeof label === 'string' ? label : field
  }
  return fields.split(', ').map(labelOf).join(', ')
}
