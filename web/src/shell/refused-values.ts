import { useState } from 'react'

/**
 * Whether a field still has the value that was refused, by its path in the request. A message goes away when the user
 * corrects the field. That of a list stays until the next save: a picker changes its list when it loses the focus, so the
 * button that the user is clicking would move away.
 */
export function useRefusedValues(error: Error | null, input: object): (path: string) => boolean {
  const [refused, setRefused] = useState({ error, input })
  if (refused.error !== error) setRefused({ error, input })
  return (path) => {
    const value = valueAt(refused.input, path)
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
