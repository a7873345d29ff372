import { expect, test } from 'vitest'
import { toQueryError } from '../../src/graphql/execute.ts'

test.each([
  ['a lock that is not available', '55P03'],
  ['a deadlock', '40P01'],
  ['a server that shuts down', '57P01'],
])('reports %s as temporary', (_, code) => {
  expect(toQueryError(Object.assign(new Error('refused'), { code }))).toMatchObject({
    code: 'UNAVAILABLE',
    status: 503,
  })
})

test('reports an unknown failure without its details', () => {
  const error = toQueryError(new Error('relation "secret" does not exist'))
  expect(error).toMatchObject({ code: 'INTERNAL_ERROR', status: 500 })
  expect(error.message).not.toContain('secret')
})
