/** Ids as people type them: separated by commas, spaces or lines. */
export const readIds = (text: string) => text.split(/[\s,;]+/).filter((id) => id !== '')

/** Like readIds, for numbers. Invalid numbers are sent as null, so that the service reports the allowed values. */
export const readNumbers = (text: string) => readIds(text).map(Number)

export const showIds = (ids: readonly (string | number)[]) => ids.join(', ')
