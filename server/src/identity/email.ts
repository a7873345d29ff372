import { z } from 'zod'
import { CHALLENGE_LIFETIME } from '../lifetimes.ts'
import { MINUTE } from '../clock.ts'
import { equalHashes, hashOf, randomName } from '../oauth/token-format.ts'
import { findOwner } from './account.queries.ts'
import { tooManyRequests } from './api-error.ts'
import { type AttemptLimit, countAttempt } from './attempts.ts'
import { hasSessionStarted } from './audit.queries.ts'
import { identityError } from './identity-error.ts'
import type { ChallengeKind } from './kinds.ts'
import { sendMail } from './send-mail.ts'
import type { SignIn } from './sign-in.ts'
import { PLATFORM } from './site.ts'

/** Mails that one network may have us send to one address. */
const mailsToAddressOfNetwork: AttemptLimit = { name: 'mail-address-network', most: 5, seconds: 3600 }
/** Mails to one address for all strangers together: nobody's mailbox is to be filled from here. */
const mailsToAddress: AttemptLimit = { name: 'mail', most: 30, seconds: 3600 }
/** Mails to an address for a browser that has proved it before, which no stranger can use up. */
const mailsToKnownBrowser: AttemptLimit = { name: 'mail-known-browser', most: 5, seconds: 3600 }
/** Mails that one network may have us send, to whomever: this is no relay. */
const mailsOfNetwork: AttemptLimit = { name: 'mail-network', most: 60, seconds: 3600 }
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
  off: ({ identity }) => (identity.mail ? undefined : 'QUESTBOARD_SMTP_URL and QUESTBOARD_MAIL_FROM are not set'),
  async challenge({ signIn, site, statement, network, knownBrowser }, input) {
    const address = readEmail(input.address)
    await countMail(signIn, address, network, knownBrowser(address))
    const code = randomName(signIn.random, CODE_LENGTH)
    await sendMail(signIn, {
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

/**
 * Nothing that strangers do keeps a user from a code who has signed in with this address before, in this browser, or in
 * this network with any browser: they have shares of their own. @throws ApiError too_many_requests
 */
async function countMail(signIn: SignIn, address: string, network: string, browser: string | undefined): Promise<void> {
  const mailbox = hashOf(address).toString('hex')
  if (browser !== undefined) {
    const own = await countAttempt(signIn, mailsToKnownBrowser, `${mailbox}:${browser}`)
    if (!own.exceeded) return
  }
  for (const [limit, who] of [
    [mailsOfNetwork, network],
    [mailsToAddressOfNetwork, `${mailbox}:${network}`],
  ] as const) {
    const count = await countAttempt(signIn, limit, who)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
  }
  const count = await countAttempt(signIn, mailsToAddress, mailbox)
  if (count.exceeded && !(await hasSignedInFrom(signIn, address, network))) throw tooManyRequests(count.retryAfter)
}

async function hasSignedInFrom({ database }: SignIn, address: string, network: string): Promise<boolean> {
  const accountId = await findOwner(database.kysely, 'Email', address)
  return accountId !== undefined && (await hasSessionStarted(database.kysely, accountId, network))
}

/** The whole address in lower case: mail servers that tell cases apart are not found any more, users that do not are many. */
function readEmail(text: string | undefined): string {
  const address = text?.trim().toLowerCase() ?? ''
  if (
    address.length > 200 ||
    !/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,63}$/.test(address)
  )
    throw identityError('invalid_address', 'address must be a mail address in ASCII', 'address')
  return address
}
