/** The username that an account has until its owner picks another: stable, and not telling who it is. */
export function newAccountName(accountId: string): string {
  return newAccountNames(accountId)[0]
}

/** The same, and the one that takes its place when somebody else has it. */
export function newAccountNames(accountId: string): [string, string] {
  const hex = accountId.replaceAll('-', '')
  return [`user-${hex.slice(0, 10)}`, `user-${hex}`]
}
