import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { MINUTE } from '../clock.ts'
import { equalHashes, hashOf } from '../secrets/hashes.ts'
import { refusedCodesByNetwork } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import { upstreamUnavailable } from './request-upstream.ts'
import { identityError, RetryableRefusal } from './identity-error.ts'
import { fault, wrongFormat } from '../texts/faults.ts'
import type { ChallengeKind } from './challenge-kind.ts'
import { mailboxOf } from '../sessions/known-browser.ts'
import { formatMailCode, MAIL_CODE_LENGTH, MAX_CODE_ATTEMPTS, newMailCode, readMailCode } from './mail-code.ts'
import { countMail, refundMail } from './mail-limits.ts'
import { sendMail } from '../outgoing/send-mail.ts'
import { whyOff } from '../settings/social-settings.ts'

const kindDataShape = z.object({
  address: z.string(),
  codeHash: z.string(),
  attemptsLeft: z.int().default(1),
})

/**
 * A code sent by mail, typed into the browser that requested it. The chance to guess a code is MAX_CODE_ATTEMPTS in
 * 2^65, about 1.4e-19.
 */
export const emailAddress: ChallengeKind = {
  kind: 'Email',
  label: 'Email',
  browser: { way: 'email-code', discovery: 'none', needs: ['address'] },
  off: ({ identity }) => whyOff(identity.unset.mail),
  async challenge({ services, site, statement, network, knownBrowser }, input) {
    const address = readEmail(input.address)
    const counted = await countMail(services, address, network, await knownBrowser(address))
    const code = newMailCode(services.random)
    const outcome = await sendMail(services, {
      to: address,
      subject: `Your ${services.config.brand.name} code`,
      text: [
        statement('email address'),
        '',
        `Your code: ${formatMailCode(code)}`,
        '',
        `Enter it at ${site.origin}, in the browser where you requested it. Case does not matter.`,
        `The code expires after ${CHALLENGE_LIFETIME / MINUTE} minutes.`,
        '',
        'Do not share this code. If you did not request it, ignore this email.',
      ].join('\n'),
    })
    if (outcome === 'refused') await refundMail(services, counted)
    if (outcome !== 'taken') throw upstreamUnavailable('The mail server')
    return {
      kindData: { address, codeHash: hashOf(code).toString('hex'), attemptsLeft: MAX_CODE_ATTEMPTS },
      shown: {},
    }
  },
  async verify({ services: services, network }, kindData, proof) {
    const { address, codeHash, attemptsLeft } = kindDataShape.parse(kindData)
    const code = readMailCode((proof as { code?: unknown }).code)
    if (code !== undefined && equalHashes(hashOf(code), Buffer.from(codeHash, 'hex')))
      return { identity: { subject: address, username: null }, remember: true }
    // Above the limit, a wrong code leaves one more attempt. A correct code still works, so a network is not locked out.
    const { exceeded } = await countAttempt(services, refusedCodesByNetwork, network)
    const left = Math.min(attemptsLeft - 1, exceeded ? 1 : MAX_CODE_ATTEMPTS)
    if (left < 1) throw identityError('no_attempts_left', 'The code is wrong and no longer valid; request a new one')
    const more = `${left} ${left === 1 ? 'attempt is' : 'attempts are'} left`
    throw new RetryableRefusal(
      code === undefined
        ? identityError(
            'bad_request',
            `code must be the ${MAIL_CODE_LENGTH} letters and digits of the email; ${more}`,
            'code',
            wrongFormat('mail_code'),
          )
        : identityError('bad_signature', `The code is wrong; ${more}`, 'code', fault('wrong_code', { left })),
      { address, codeHash, attemptsLeft: left },
    )
  },
}

function readEmail(text: string | undefined): string {
  const address = mailboxOf(text ?? '')
  if (
    address.length > 200 ||
    !/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,63}$/.test(address)
  )
    throw identityError(
      'invalid_address',
      'address must be a mail address in ASCII',
      'address',
      wrongFormat('mail_address'),
    )
  return address
}
