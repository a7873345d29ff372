import { hash } from 'node:crypto'
import { isAllowedHost } from '../../settings/hosts.ts'
import type { Services } from '../../services.ts'
import type { App } from '../app.queries.ts'
import { isOnDevice, redirectUriFault } from '../redirect-uri.ts'

const MAX_LENGTH = 500

/** Whether a client_id is the URL of a metadata document, even if the URL cannot be used. */
export const isClientUrl = (clientId: string): boolean => /^https?:/i.test(clientId)

/** The id of a URL in the table of apps, in the format of registered ids. */
export const clientIdOfUrl = (url: string): string => hash('sha256', `client ${url}`).slice(0, 40)

/** The id of an app in the database, for the client_id of a request. */
export const storedClientId = (clientId: string): string => (isClientUrl(clientId) ? clientIdOfUrl(clientId) : clientId)

/** The reason why a URL cannot be a client_id; undefined if it can (draft-ietf-oauth-client-id-metadata-document 3). */
export function clientUrlFault({ config }: Pick<Services, 'config'>, text: string): string | undefined {
  if (!text.startsWith('https://')) return 'it must be an https URL'
  if (text.length > MAX_LENGTH) return `it must have at most ${MAX_LENGTH} characters`
  const fault = redirectUriFault(text)
  if (fault !== undefined) return `it ${fault}`
  if (new URL(text).pathname === '/') return 'it must have a path'
  return isClientHost({ config }, text) ? undefined : 'the operator allows no clients of this host'
}

/** The host that publishes a client, which users see; null for registered apps. */
export const publisherOf = ({ metadataUrl }: Pick<App, 'metadataUrl'>): string | null =>
  metadataUrl === null ? null : new URL(metadataUrl).host

/** Whether the operator still allows the host of a client; true for registered apps. */
export const isHostAllowed = (services: Pick<Services, 'config'>, { metadataUrl }: Pick<App, 'metadataUrl'>): boolean =>
  metadataUrl === null || isClientHost(services, metadataUrl)

/**
 * Whether users may return to a redirect URI of a client. No operator reviewed its document, so codes go to the device
 * of the user or to a host that the operator allows. True for registered apps.
 */
export const mayReturnTo = (
  services: Pick<Services, 'config'>,
  { metadataUrl }: Pick<App, 'metadataUrl'>,
  redirectUri: string,
): boolean => metadataUrl === null || isClientReturn(services, redirectUri)

/** Whether a URL is on the device of the user or at a host that the operator allows. */
export const isClientReturn = (services: Pick<Services, 'config'>, url: string): boolean =>
  isOnDevice(url) || isClientHost(services, url)

/** Whether the operator allows clients of the host of a URL. */
function isClientHost({ config }: Pick<Services, 'config'>, url: string): boolean {
  const { hostname, port } = new URL(url)
  return isAllowedHost(config.clientHosts, hostname, Number(port) || 443)
}
