import { type Attempt, OAuthError } from '@questboard/client'
import { signIn, type User } from '../../questboard.ts'
import { clearedCookie, openCookie, sealedCookie } from '../../sealed-cookie.ts'

const A_DAY = 86_400

/** Takes the user back: the tokens are used once and not kept, the session is a cookie. */
export async function GET(request: Request): Promise<Response> {
  const headers = new Headers({ location: '/' })
  headers.append('set-cookie', clearedCookie('attempt'))
  try {
    const { accessToken } = await signIn().finish(request.url, await openCookie<Attempt>(request, 'attempt'))
    const { EVMAddress: address } = await signIn().userData(accessToken)
    if (address === undefined) return new Response('Please share an address.', { status: 403 })
    headers.append('set-cookie', await sealedCookie('session', { address } satisfies User, A_DAY))
    return new Response(null, { status: 303, headers })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    if (error.code === 'access_denied') return new Response(null, { status: 303, headers })
    return new Response('The sign-in did not work. Please try again.', { status: 400 })
  }
}
