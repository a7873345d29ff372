import { z } from 'zod'
import type { ChallengeContext } from '../challenge-kind.ts'

/**
 * The fields of a sign-in text. The server stores them and builds the signed bytes from them; it never parses a text.
 */
export interface MessageFields {
  domain: string
  address: string
  statement: string
  uri: string
  chainId: string
  nonce: string
  issuedAt: string
  expiresAt: string
}

/** The kind data of a challenge whose address comes from the wallet. */
export const fieldsShape = z.object({
  domain: z.string(),
  statement: z.string(),
  uri: z.string(),
  chainId: z.string(),
  nonce: z.string(),
  issuedAt: z.string(),
  expiresAt: z.string(),
})

export function messageFields(
  context: ChallengeContext,
  kind: string,
  chainId: string,
): Omit<MessageFields, 'address'> {
  return {
    domain: context.site.domain,
    // The user reads it in the wallet. It names the chain, because several chains use the same addresses.
    statement: context.statement(kind.replace(/Address$/, ' wallet')),
    uri: context.site.issuer,
    chainId,
    nonce: context.nonce,
    issuedAt: context.issuedAt.toISOString(),
    expiresAt: context.expiresAt.toISOString(),
  }
}

/** The fields in the format of the Wallet Standard's sign-in features (`solana:signIn`, `aptos:signIn`). */
export function signInInput(fields: Omit<MessageFields, 'address'>, address: string | undefined) {
  const { expiresAt, ...rest } = fields
  return { ...rest, version: '1', expirationTime: expiresAt, ...(address !== undefined && { address }) }
}

/** The text of ERC-4361. CAIP-122 differs only in the name of the chain's accounts. */
export function signInMessage(accountsOf: string, fields: MessageFields): string {
  return [
    `${fields.domain} wants you to sign in with your ${accountsOf} account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    'Version: 1',
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    `Expiration Time: ${fields.expiresAt}`,
  ].join('\n')
}
