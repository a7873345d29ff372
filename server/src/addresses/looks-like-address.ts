/** Shortened addresses have dots in the middle. Handles do not have two dots in a row. */
const SHORTENED = /…|\.\./

/** Also one or two characters shorter or longer than an address. */
const LIKE_BECH32 = /^(?:inj|sei)1[0-9a-z]{36,40}$/

/** A handle such as `0xmaki`: letters of any language, digits, `_`, `.` and `-`, with one that is not a hex digit. */
const HANDLE = /^0x(?=.*[^0-9a-f])[\p{L}\p{M}\p{N}_.-]+$/u

/** A text of this length is a mistyped address if it has mostly hex digits. */
const MIN_MISTYPED_LENGTH = 30
const MAX_HEX_SHARE = 3 / 4

/** Whether the canonical form of a member looks like an address. The address may be complete, shortened or mistyped. */
export function looksLikeAddress(member: string): boolean {
  if (SHORTENED.test(member) || /^(?:evm|aptos|solana):/.test(member) || LIKE_BECH32.test(member)) return true
  return member.startsWith('0x') && (!HANDLE.test(member) || isMostlyHex(member))
}

function isMostlyHex(member: string): boolean {
  if (member.length < MIN_MISTYPED_LENGTH) return false
  const digits = member.slice('0x'.length)
  return digits.replace(/[^0-9a-f]/g, '').length > digits.length * MAX_HEX_SHARE
}
