export type Settings = Readonly<Record<string, unknown>>

/** Replaces a stored secret in responses. In a request, it keeps the stored value. */
export interface StoredValue {
  stored: string
}

export const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isStoredValue = (value: unknown): value is StoredValue =>
  isSettings(value) && typeof value.stored === 'string' && Object.keys(value).length === 1
