const KEY = 'questboard.last-way'

/** The last sign-in method. Only its name is stored, and only in this browser. */
export function lastWay(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined // storage is switched off
  }
}

export function rememberWay(id: string): void {
  try {
    localStorage.setItem(KEY, id)
  } catch {
    // storage is switched off: nothing is remembered
  }
}
