import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { authorizeUrl, pkcePair } from './oauth-flow.ts'
import { ISSUER } from './oauth-service.ts'

export interface HostedAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** The response starts after this promise. */
  heldUntil?: Promise<void>
  /** The response never ends. */
  endless?: boolean
}

/** A host of client metadata documents on localhost, with TLS. */
export interface ClientHost {
  /** `localhost` and the port. */
  host: string
  url: (path: string) => string
  /** Publishes a document and returns its URL, which is its client_id. Members that are undefined are left out. */
  publish: (path: string, changes?: Record<string, unknown>, answer?: HostedAnswer) => string
  redirectUri: string
  /** The paths that were requested. */
  requests: string[]
  /** The settings that allow its clients, and the host of their redirect URI. */
  settings: Record<string, string>
  close: () => Promise<void>
}

/** Starts the host. Node trusts its certificate until it is closed. */
export async function startClientHost(redirectUri: string): Promise<ClientHost> {
  const { key, cert } = selfSigned()
  const trusted = getCACertificates('default')
  const answers = new Map<string, HostedAnswer>()
  const requests: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const answer = answers.get(path) ?? { status: 404 }
    void (answer.heldUntil ?? Promise.resolve()).then(() => {
      const { status = 200, headers = {}, body = '', endless = false } = answer
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      if (endless) response.write(body)
      else response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  setDefaultCACertificates([...trusted, cert])
  const host = `localhost:${(server.address() as AddressInfo).port}`
  const url = (path: string) => `https://${host}${path}`
  return {
    host,
    url,
    publish(path, changes = {}, answer = {}) {
      const document = {
        client_id: url(path),
        client_name: 'Chat',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        ...changes,
      }
      answers.set(path, { body: JSON.stringify(document), ...answer })
      return url(path)
    },
    redirectUri,
    requests,
    settings: {
      QUESTBOARD_CLIENT_HOSTS: [host, new URL(redirectUri).host].join(),
      QUESTBOARD_OUTGOING_HOSTS: host,
    },
    async close() {
      setDefaultCACertificates(trusted)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function selfSigned(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'client-host-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const pair = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(folder, { recursive: true })
  return pair
}

/** The redirect URI of published clients. */
export const CALLBACK = 'https://chat.example.com/callback'
export const MCP_RESOURCE = `${ISSUER}/mcp`

/** A published client as a client without a secret. */
export const publishedClient = (clientId: string) => ({ clientId, secret: '', redirectUri: CALLBACK })

/** The address of the consent page for a published client. */
export const consentUrlOf = (clientId: string, extra: Record<string, string | undefined> = {}): string =>
  authorizeUrl(publishedClient(clientId), {
    ...{ scope: 'mcp', resource: MCP_RESOURCE, code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
    ...extra,
  })
