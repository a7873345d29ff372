import { signIn } from '../../questboard.ts'
import { sealedCookie } from '../../sealed-cookie.ts'

const TEN_MINUTES = 600

/** Sends the user to Questboard; the cookie remembers the attempt for as long as a code lives. */
export async function GET(): Promise<Response> {
  const { url, attempt } = await signIn().begin()
  const cookie = await sealedCookie('attempt', attempt, TEN_MINUTES)
  return new Response(null, { status: 303, headers: { location: url, 'set-cookie': cookie } })
}
