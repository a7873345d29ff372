import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { appName } from '../app-form.ts'
import { redirectUriFault } from '../redirect-uri.ts'

export interface ClientDocument {
  name: string
  redirectUris: string[]
}

export function changedFields(before: ClientDocument, after: ClientDocument): (keyof ClientDocument)[] {
  const fields = ['name', 'redirectUris'] as const
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
}

const documentShape = z.object({
  client_id: z.string(),
  client_name: z.unknown().optional(),
  redirect_uris: z.array(z.string()).min(1).max(20),
  token_endpoint_auth_method: z.literal('none'),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
  client_secret: z.undefined().optional(),
  client_secret_expires_at: z.undefined().optional(),
})

/**
 * Reads a client metadata document (RFC 7591 2). A name that an app could not register is replaced by the host. Returns a
 * fault if the document cannot be used.
 */
export function readDocument(url: string, text: string): ClientDocument | { fault: string } {
  const parsed = documentShape.safeParse(parseJson(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { fault: `${issue?.path.join('.') || 'the document'}: ${issue?.message}` }
  }
  const { client_id, client_name, redirect_uris, grant_types, response_types } = parsed.data
  if (client_id !== url) return { fault: 'client_id must be the URL of the document' }
  if (grant_types?.includes('authorization_code') === false)
    return { fault: 'grant_types must include authorization_code' }
  if (response_types?.includes('code') === false) return { fault: 'response_types must include code' }
  for (const [n, uri] of redirect_uris.entries()) {
    const fault = redirectUriFault(uri)
    if (fault !== undefined) return { fault: `redirect_uris.${n} ${fault}` }
  }
  const name = appName.safeParse(client_name)
  return { name: name.success ? name.data : new URL(url).host.slice(0, 80), redirectUris: redirect_uris }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
