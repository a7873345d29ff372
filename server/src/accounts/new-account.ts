/** The initial username: stable, and without personal data. */
export function newAccountName(accountId: string): string {
  return newAccountNames(accountId)[0]
}

/** The initial username, and an alternative if it is taken. */
export function newAccountNames(accountId: string): [string, string] {
  const hex = accountId.replaceAll('-', '')
  return [`user-${hex.slice(0, 10)}`, `user-${hex}`]
}
