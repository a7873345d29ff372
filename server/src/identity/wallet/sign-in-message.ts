/** The fields of a sign-in text. The server keeps them and builds the signed bytes from them; it never parses a text. */
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

/** The text of ERC-4361 (and CAIP-122, which differs by the name of the chain's accounts only). */
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
