import { clearedCookie } from '../../sealed-cookie.ts'

export async function POST(): Promise<Response> {
  return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': clearedCookie('session') } })
}
