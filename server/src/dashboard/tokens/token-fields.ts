import { TokenInputError } from '../../access/server-tokens.ts'
import { invalidField, notFound } from '../../errors.ts'

/** Converts errors of the token modules to errors of this API. @throws ApiError that names the field */
export async function namingTokenFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof TokenInputError)) throw error
    if (error.field === 'tokenId') throw notFound('Token')
    throw invalidField(error.field, `cannot be used: ${error.message}`, error.fault)
  }
}
