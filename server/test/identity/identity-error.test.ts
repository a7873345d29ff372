import { expect, test } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { RetryableRefusal } from '../../src/identity/identity-error.ts'

test('a refusal that allows another proof has everything of its error', () => {
  const error = new ApiError('challenge_gone', 'Start again', {
    field: 'code',
    details: { left: 1 },
    headers: { 'retry-after': '1' },
    status: 400,
  })
  const { code, message, field, details, headers, status } = error
  expect(new RetryableRefusal(error, null)).toMatchObject({ code, message, field, details, headers, status })
})
