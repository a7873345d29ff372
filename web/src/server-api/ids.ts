/** Ids as people type them: separated by commas, spaces or lines. */
export const readIds = (text: string) => text.split(/[\s,;]+/).filter((id) => id !== '')

/** As readIds, for numbers; what is none is sent as it is not, so that the service says what is allowed. */
export const readNumbers = (text: string) => readIds(text).map(Number)

export const showIds = (ids: readonly (string | number)[]) => ids.join(', ')
