import { invalidArgument } from '../errors.ts'
import type { Tool } from './tool.ts'

/** @throws INVALID_ARGUMENT with each argument that is not valid */
export function readArguments({ inputSchema }: Tool, given: object): object {
  const { data, error } = inputSchema.safeParse(given)
  if (data) return data
  throw invalidArgument(
    'The arguments of the tool are not valid',
    ...error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`),
  )
}
