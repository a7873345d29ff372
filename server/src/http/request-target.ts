import type { IncomingMessage } from 'node:http'

const SLASH = 47

/**
 * Replaces an absolute-form request target (`POST http://host/path`) by its path, which a server must accept (RFC 9112
 * 3.2.2). The host is ignored: public URLs come from the configuration.
 */
export function takeOriginForm(request: IncomingMessage): void {
  const { url = '' } = request
  if (url.charCodeAt(0) === SLASH) return
  const rest = /^https?:\/\/[^/?#]+(.*)$/i.exec(url)?.[1]
  if (rest !== undefined) request.url = rest.startsWith('/') ? rest : `/${rest}`
}
