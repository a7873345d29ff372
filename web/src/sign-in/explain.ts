import { WebAuthnError } from '@simplewebauthn/browser'
import { ApiFailure } from '../api/call.ts'
import { signIn as texts } from '../texts/index.ts'
import { isRejection, WalletFailure } from '../wallets/wallet-failure.ts'

export interface Explanation {
  title: string
  text: string
}

const t = texts.faults

/** The message for an error of a sign-in. */
export function explain(error: unknown): Explanation {
  if (error instanceof ApiFailure) return explainRefusal(error)
  if (error instanceof WebAuthnError || isPasskeyError(error)) return explainPasskey(error)
  if (isRejection(error)) return t.rejected
  if (error instanceof WalletFailure) return explainWallet(error)
  const said = error instanceof Error ? error.message : ''
  return { title: t.refused, text: said }
}

/** Explains an error of the service by its code. */
function explainRefusal({ code, message, status, retryAfter }: ApiFailure): Explanation {
  switch (code) {
    case 'challenge_gone':
    case 'expired':
      return t.expired
    case 'other_chain':
      return { title: t.wrongNetwork.title, text: message }
    case 'account_suspended':
      return t.suspended
    case 'identity_taken':
      return { title: t.taken, text: message }
    case 'too_many_requests':
      if (retryAfter === undefined) return t.tooMany
      return { title: t.tooMany.title, text: t.tooMany.textIn(Math.ceil(retryAfter / 60)) }
    case 'account_changed':
    case 'session_changed':
      return t.otherAccount
    case 'fresh_sign_in_required':
    case 'sign_in_required':
      return t.notFresh
    case 'access_denied':
      return t.refusedByProvider
    default:
      return status === 0 || status === 503 ? t.unreachable : { title: t.refused, text: message }
  }
}

/** Redirects return only the code of an error. */
export function explainCode(code: string): Explanation {
  const { title, text } = explainRefusal(new ApiFailure(400, code, ''))
  return { title, text: text === '' ? t.rejected.text : text }
}

const isPasskeyError = (error: unknown): error is DOMException => error instanceof DOMException

function explainPasskey(error: Error): Explanation {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return t.passkeyExists
  if (error.name === 'NotSupportedError' || error.name === 'SecurityError') return t.passkeyUnsupported
  return t.passkeyRejected
}

function explainWallet({ fault, message }: WalletFailure): Explanation {
  switch (fault) {
    case 'rejected':
      return t.rejected
    case 'wrong-network':
      return { title: t.wrongNetwork.title, text: t.wrongNetwork.text(message) }
    case 'no-account':
      return t.noAccount
    case 'no-answer':
      return t.noAnswer
    case 'unsupported':
      return t.unsupported
  }
}
