import type { ApiOperation } from '../api/openapi-document.ts'
import type { JsonSchema } from '../api/json-schema.ts'

const document = (summary: string, description: string, schema: JsonSchema): ApiOperation => ({
  summary,
  tag: 'OAuth',
  answers: { 200: { description, content: { 'application/json': { schema } } } },
})

/** The OpenAPI operations of the public documents. */
export const documentDescriptions = {
  metadata: document('Get the server metadata (RFC 8414, OpenID Connect Discovery)', 'The metadata.', {
    type: 'object',
    required: ['issuer'],
  }),
  protectedResource: document(
    'Get the metadata of the resource for the Model Context Protocol (RFC 9728)',
    'The metadata.',
    { type: 'object', required: ['resource', 'authorization_servers'] },
  ),
  keys: document('List the keys of the id_tokens (RFC 7517)', 'A JWK set.', {
    type: 'object',
    properties: { keys: { type: 'array', items: { type: 'object' } } },
    required: ['keys'],
  }),
}
