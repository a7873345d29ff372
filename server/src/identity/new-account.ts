/** The username that an account has until its owner picks another: stable, and not telling who it is. */
export function newAccountName(accountId: string): string {
  return `user-${accountId.replaceAll('-', '').slice(0, 10)}`
}
