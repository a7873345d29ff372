import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { MINUTE } from '../clock.ts'
import { equalHashes, hashOf, randomName } from '../oauth/token-format.ts'
import { upstreamUnavailable } from './ask-upstream.ts'
import { identityError } from './identity-error.ts'
import type { ChallengeKind } from './kinds.ts'
import { mailboxOf } from './known-browser.ts'
import { countMail, giveMailBack } from './mail-limits.ts'
import { sendMail } from './send-mail.ts'
import { PLATFORM } from './site.ts'
import { whyOff } from './social/social-settings.ts'

const CODE_LENGTH = 10
const codeShape = /^[0-9A-Za-z]{10}$/

const storedShape = z.object({ address: z.string(), codeHash: z.string() })

/**
 * A code sent by mail, typed into the browser that asked. A wrong code spends the challenge, and a code has 59 bits:
 * there is nothing to guess.
 */
export const emailAddress: ChallengeKind = {
  kind: 'Email',
  label: 'Email',
  browser: { way: 'email-code', discovery: 'none', needs: ['address'] },
  off: ({ identity }) => whyOff(identity.unset.mail),
  async challenge({ signIn, site, statement, network, knownBrowser }, input) {
    const address = readEmail(input.address)
    const counted = await countMail(signIn, address, network, await knownBrowser(address))
    const code = randomName(signIn.random, CODE_LENGTH)
    const outcome = await sendMail(signIn, {
      to: address,
      subject: `${PLATFORM} code`,
      text: [
        statement('Email'),
        '',
        `Your code: ${code}`,
        '',
        `It holds for ${CHALLENGE_LIFETIME / MINUTE} minutes, in the browser where you asked for it, at ${site.origin}.`,
        'If you did not ask for it, ignore this mail, and give the code to nobody.',
      ].join('\n'),
    })
    if (outcome === 'refused') await giveMailBack(signIn, counted)
    if (outcome !== 'taken') throw upstreamUnavailable('The mail server')
    return { stored: { address, codeHash: hashOf(code).toString('hex') }, shown: {} }
  },
  async verify(_context, stored, proof) {
    const { address, codeHash } = storedShape.parse(stored)
    const { code } = proof as { code?: unknown }
    if (typeof code !== 'string' || !codeShape.test(code.trim()))
      throw identityError('bad_request', `code must be the ${CODE_LENGTH} letters and digits of the mail`, 'code')
    if (!equalHashes(hashOf(code.trim()), Buffer.from(codeHash, 'hex')))
      throw identityError('bad_signature', 'This is not the code of the mail; ask for a new one', 'code')
    return { identity: { subject: address, username: null }, remember: true }
  },
}

function readEmail(text: string | undefined): string {
  const address = mailboxOf(text ?? '')
  if (
    address.length > 200 ||
    !/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,63}$/.test(address)
  )
    throw identityError('invalid_address', 'address must be a mail address in ASCII', 'address')
  return address
}
