import { createHash } from 'node:crypto'

/**
 * The claim `sid` of a session for an app (OpenID Connect Back-Channel Logout 1.0, 2.1). It differs for each app, so that
 * apps cannot find out by it that they have the same user.
 */
export const sidOf = (sessionId: string, clientId: string): string =>
  createHash('sha256').update(`sid ${clientId} ${sessionId}`).digest().subarray(0, 16).toString('base64url')
