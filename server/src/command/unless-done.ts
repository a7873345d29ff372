import { ApiError } from '../errors.ts'

/** Makes a change. Returns undefined if it fails with `code`, which means that it was made before. */
export async function unlessDone<Result>(code: string, change: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return undefined
    throw error
  }
}
