import { expect, it } from 'vitest'
import { requireOwnPage } from '../../src/api/foreign-pages.ts'

const isAccepted = (secure: boolean, headers: Record<string, string>) => {
  try {
    requireOwnPage({ site: { secure } }, { headers }, 'Start this on our own pages')
    return true
  } catch {
    return false
  }
}

it('refuses a request without Sec-Fetch-Site over https only, because browsers do not send it over http', () => {
  expect([isAccepted(true, {}), isAccepted(false, {})]).toEqual([false, true])
})

it('refuses foreign pages over http and https', () => {
  const [own, foreign] = [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'cross-site' }]
  for (const secure of [true, false])
    expect([isAccepted(secure, own), isAccepted(secure, foreign)]).toEqual([true, false])
})
