import { setTimeout as wait } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { createAdmission } from '../../src/api/large-body.ts'

let fastify: FastifyInstance
afterEach(() => fastify.close())

const TIMEOUT = 200

/** Sends a request with a body to a route whose check and handler take these milliseconds. */
async function serve(durations: { check: number; handler: number }) {
  const admission = createAdmission({ concurrent: 1, timeout: TIMEOUT }, async () => {
    await wait(durations.check)
    return { accountId: 'a' }
  })
  fastify = Fastify()
  fastify.post(
    '/',
    { handlerTimeout: TIMEOUT, onRequest: (request, reply) => admission.admit(request, reply) },
    (request) =>
      admission.run(request, async (_, signal) => {
        await Promise.race([
          wait(durations.handler),
          new Promise((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason as Error))),
        ])
        return { stored: true }
      }),
  )
  const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
  return async () =>
    (await fetch(url, { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } })).status
}

test('ends a handler after the timeout, although the body was read, and frees its place', async () => {
  const durations = { check: 0, handler: 2_000 }
  const send = await serve(durations)
  expect(await send()).toBe(503)
  durations.handler = 0
  expect(await send()).toBe(200)
})

test('frees a place if the response was sent during the check', async () => {
  const durations = { check: 500, handler: 0 }
  const send = await serve(durations)
  expect(await send()).toBe(503)
  await wait(500)
  durations.check = 0
  expect(await send()).toBe(200)
})
