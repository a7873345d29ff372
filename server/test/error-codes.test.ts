import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { apiCodes, oauthCodes, queryCodes } from '../src/error-codes.ts'
import { errorsIn } from './thrown-errors.ts'

const SRC = join(import.meta.dirname, '../src')
const errors = globSync('**/*.ts', { cwd: SRC }).flatMap((file) =>
  errorsIn(file, readFileSync(join(SRC, file), 'utf8')),
)

/** `oauth/quest-verification.ts` passes conflicts of verifications on. */
const isOfOauth = ({ constructorName, place }: { constructorName: string; place: string }) =>
  constructorName === 'OauthError' || (constructorName === 'conflict' && place.startsWith('verify/'))

describe('the catalogue of errors', () => {
  it.each([
    ['GraphQL endpoint', queryCodes, errors.filter(({ constructorName }) => constructorName === 'ServiceError')],
    [
      'JSON API',
      ownCodes(),
      errors.filter(({ constructorName }) => constructorName !== 'OauthError' && constructorName !== 'ServiceError'),
    ],
    ['OAuth endpoints', oauthCodes, errors.filter(isOfOauth)],
  ])('has no code of the %s that nothing throws', (_, codes, thrown) => {
    const used = new Set(thrown.flatMap(({ code }) => [code, code.toLowerCase()]))
    expect(Object.keys(codes).filter((code) => !used.has(code))).toEqual([])
  })

  it('has one status for each code, except for a challenge that is gone', () => {
    const withStatus = errors.filter(
      ({ constructorName, text }) => constructorName === 'ApiError' && /\bstatus:/.test(text),
    )
    expect(withStatus.map(({ code }) => code)).toEqual(['challenge_gone'])
  })
})

/** The codes of the JSON API that the GraphQL endpoint does not have. */
function ownCodes() {
  return Object.fromEntries(Object.entries(apiCodes).filter(([code]) => !(code.toUpperCase() in queryCodes)))
}
