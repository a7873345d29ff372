/** Reads typed IDs, which can be separated by commas, spaces or lines. */
export const readIds = (text: string) => text.split(/[\s,;]+/).filter((id) => id !== '')
