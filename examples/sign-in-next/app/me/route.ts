import type { User } from '../../questboard.ts'
import { openCookie } from '../../sealed-cookie.ts'

/** Who is signed in. */
export async function GET(request: Request): Promise<Response> {
  const user = await openCookie<User>(request, 'session')
  return user ? Response.json(user) : Response.json({ error: 'not signed in' }, { status: 401 })
}
