import { z } from 'zod'

/** Inputs that several tools have. */
export const spaceId = z.int().describe('ID of a space, such as 40')
export const sprintId = z.int().optional().describe('ID of a sprint of the space; omit it for the overall board')
export const starboardId = z.string().describe('ID of a starboard')
export const memberAddress = z
  .string()
  .describe(
    'The field `address.address` of the member on the board: an address, a handle or an email address, in any spelling. The username does not work',
  )
export const evmAddress = z.string().describe('EVM address: 0x and 40 hexadecimal digits')
export const after = z
  .string()
  .optional()
  .describe('pageInfo.endCursor of the previous page; omit it for the first page')
export const first = (subject: string) =>
  z.int().min(1).max(100).default(20).describe(`Number of ${subject} on the page`)
