import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'

/** Expects an error of an OAuth endpoint: its status and code, exactly two members, no caching, no token. */
export function refused(response: LightMyRequestResponse, status: number, error: string): void {
  expect(response.json()).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) as string,
  })
  expect(response.statusCode).toBe(status)
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.body).not.toMatch(/qb[urcx]_/)
}
