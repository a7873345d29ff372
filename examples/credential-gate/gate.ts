import type { Request, RequestHandler } from 'express'
import type { Questboard } from '@questboard/client'

export interface Gate {
  questboard: Questboard
  credentialId: string
  /** The address that the user has proven to own: from a sign-in, never from a form. */
  addressOf: (request: Request) => Promise<string | undefined>
}

/**
 * Admits the holders of the credential. An unreliable response neither admits nor rejects a user.
 */
export function requireCredential({ questboard, credentialId, addressOf }: Gate): RequestHandler {
  return async (request, response, next) => {
    const address = await addressOf(request)
    if (address === undefined) {
      response.redirect('/sign-in')
      return
    }
    const { eligible, reliable } = await questboard.credential(credentialId).eligibility(address)
    if (!reliable.ok) {
      const why = reliable.reasons.map(({ message }) => message).join(' ')
      response.status(503).set('retry-after', '300').type('text').send(`Please come back later. ${why}.`)
    } else if (eligible) next()
    else response.status(403).type('text').send('This page is for members.')
  }
}
