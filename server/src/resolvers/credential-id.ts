/** Whether a text is a canonical decimal number within PostgreSQL's bigint. */
export function isCredentialId(text: string): boolean {
  return /^(0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text) <= 9_223_372_036_854_775_807n
}
