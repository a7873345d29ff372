import { useState } from 'react'

/** The state of the request that saves a form. */
export interface Save {
  pending: boolean
  error: Error | null
}

/**
 * Whether a field still has the value that was refused, by its path in the request. A message goes away when the user
 * corrects the field, also while the request runs. The message about a whole list stays until the next save: a picker
 * changes its list when it loses the focus, so the button that the user is clicking would move away.
 */
export function useRefusedValues({ pending, error }: Save, input: object): (path: string) => boolean {
  const [last, setLast] = useState({ pending, error, sent: input })
  if (last.pending !== pending || last.error !== error)
    setLast({ pending, error, sent: last.pending ? last.sent : input })
  return (path) => {
    const value = valueAt(last.sent, path)
    return Array.isArray(value) || JSON.stringify(value) === JSON.stringify(valueAt(input, path))
  }
}

/** The value at a path such as `credentialGroups[0].conditions[1].credentialId`, or the last one on the way to it. */
function valueAt(input: object, path: string): unknown {
  let value: unknown = input
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof value !== 'object' || value === null) break
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
