import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { approvedApp, type TestApp, TOKEN_URL } from './oauth-flow.ts'
import type { SignInService } from './oauth-service.ts'

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a web app on a port, registers it with its callback path and runs a function with it. */
export async function withApp(
  service: SignInService,
  callbackPath: string,
  make: (app: TestApp, origin: string) => Promise<Listener> | Listener,
  work: (origin: string, app: TestApp) => Promise<void>,
): Promise<void> {
  let listener: Listener = () => undefined
  const server: Server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const app = await approvedApp(service, {
      redirectUris: [`${origin}${callbackPath}`],
      expiringTokens: true,
      s256Only: true,
    })
    listener = await make(app, origin)
    await work(origin, app)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

export const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Adapts a handler of web requests to node:http. */
export const webListener =
  (origin: string, handle: (request: Request) => Promise<Response>): Listener =>
  (request, response) =>
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      const body = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}
      const answer = await handle(
        new Request(origin + request.url, { method: request.method ?? 'GET', headers, ...body }),
      )
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'set-cookie': answer.headers.getSetCookie(),
      })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })()

export async function refreshByFetch(
  { issuer }: SignInService,
  app: TestApp,
  refreshToken: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(issuer + TOKEN_URL, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: app.clientId,
      client_secret: app.secret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
  })
  return (await response.json()) as Record<string, unknown>
}

/** `path` is the user data or userinfo. */
export async function readUser({ issuer }: SignInService, path: string, accessToken: string) {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await (await fetch(issuer + path, { headers })).json()) as Record<string, string>
}
