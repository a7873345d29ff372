/** The reasons why a wallet does not return a signature. */
export type WalletFault = 'rejected' | 'wrong-network' | 'no-account' | 'no-answer' | 'unsupported'

export class WalletFailure extends Error {
  override name = 'WalletFailure'
  readonly fault: WalletFault

  constructor(fault: WalletFault, message = '') {
    super(message)
    this.fault = fault
  }
}

/** EIP-1193's code for a refusal by the user; other ecosystems have taken it over. */
const USER_REJECTED = 4001

/** Whether an error that a wallet threw means that its user said no. Ecosystems without codes say it in words. */
export function isRejection(error: unknown): boolean {
  if (error instanceof WalletFailure) return error.fault === 'rejected'
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown }
  if (code === USER_REJECTED || code === 'ACTION_REJECTED') return true
  if (name === 'NotAllowedError' || name === 'AbortError') return true
  return /\b(reject|den(y|ied)|declin|cancel)/i.test(
    typeof message === 'string' ? message : typeof error === 'string' ? error : '',
  )
}
