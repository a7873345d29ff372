import { MCP } from '../settings/scopes.ts'
import type { Site } from '../settings/site.ts'
import { OauthError } from './errors.ts'
import type { Parameters } from './parameters.ts'

/** The only resource that has separate tokens (RFC 8707, RFC 9728); other tokens read the user's data. */
export const mcpResource = ({ issuer }: Pick<Site, 'issuer'>): string => `${issuer}/mcp`

export const invalidTarget = (description: string) => new OauthError('invalid_target', description)

/** @throws OauthError invalid_target */
export function readResource(site: Pick<Site, 'issuer'>, parameters: Parameters): string | undefined {
  const resource = parameters.get('resource')
  if (resource !== undefined && resource !== mcpResource(site))
    throw invalidTarget(`The resource does not exist; the resource is: ${mcpResource(site)}`)
  return resource
}

/** A token with the scope is bound to the resource, so that no other service can use it. @throws OauthError */
export function requireResource(
  site: Pick<Site, 'issuer'>,
  scopes: readonly string[],
  resource: string | undefined,
): void {
  if (scopes.includes(MCP) && resource === undefined)
    throw invalidTarget(`The scope ${MCP} needs the parameter resource: ${mcpResource(site)}`)
}

export const protectedResourcePaths = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
] as const

/** RFC 9728. */
export const protectedResource = (site: Pick<Site, 'issuer'>): Record<string, unknown> => ({
  resource: mcpResource(site),
  resource_name: 'Questboard',
  resource_documentation: `${site.issuer}/docs/mcp`,
  authorization_servers: [site.issuer],
  scopes_supported: [MCP],
  bearer_methods_supported: ['header'],
})
