import { describe, expect, it } from 'vitest'
import { accountLabel } from '../src/shell/account-address.ts'

const wallet = `0x${'a'.repeat(40)}`
const own = '5a0c8f2e-0d6b-4c3a-9a57-1f6f0d1c2b3e'
const merged = '7b1d9e3f-0d6b-4c3a-9a57-1f6f0d1c2b3e'

describe('the label of an account in place of its own address', () => {
  it('is its name alone, also if the address is on several boards', () => {
    expect(accountLabel('Your account', own, [wallet, own, own])).toBe('Your account')
  })

  it('has the first digits of each own address after a merge', () => {
    const labels = [own, merged].map((address) => accountLabel('Your account', address, [wallet, own, merged]))
    expect(labels).toEqual(['Your account (5a0c8f2e)', 'Your account (7b1d9e3f)'])
  })
})
