import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { apiDocument } from '../../src/api/api-document.ts'
import { operationIn } from '../../src/api/openapi-document.ts'
import { siteOf } from '../../src/settings/site.ts'

/** Statuses that the HTTP layer may return on any route. */
const everywhere = new Set([405, 413, 415, 500])

/** Compares the status and JSON body of every response with the OpenAPI description of its route. */
export function checkAnswers(fastify: FastifyInstance): void {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const { components } = apiDocument(siteOf({ publicUrl: 'https://id.questboard.test', port: 1 }), [])
  ajv.addSchema({ $id: 'document', components })
  const compiled = new Map<object, ValidateFunction>()

  fastify.addHook('onSend', async (request, reply, payload) => {
    const api = operationIn(request.routeOptions.config)
    if (!api || everywhere.has(reply.statusCode)) return payload
    const answer = api.answers[reply.statusCode]
    const where = `${request.method} ${request.routeOptions.url} ${reply.statusCode}`
    if (!answer) throw new Error(`${where} is not documented: ${String(payload)}`)
    const schema = answer.content?.['application/json']?.schema
    if (!schema) return payload
    const validate =
      compiled.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object)
    compiled.set(schema, validate)
    if (!validate(JSON.parse(String(payload))))
      throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${String(payload)}`)
    return payload
  })
}
