import { describe, expect, it } from 'vitest'
import { isPartOfAddress } from '../src/points/part-of-address.ts'
import { shortAddress } from '../src/shell/addresses.ts'

const EVM = `0x${'5e'.repeat(20)}`
const SOLANA = 'So11111111111111111111111111111111111111112'

describe('the form for awards', () => {
  it.each([
    shortAddress(EVM),
    '0x5e5e...5e5e',
    `${EVM.slice(0, -1)}O`,
    EVM.slice(0, -1),
    `${EVM}5`,
    '0x12',
    '@0x12',
    `evm:${EVM.slice(0, -1)}`,
  ])('does not offer the part of an address %s as a new member', (text) => {
    expect(isPartOfAddress(text)).toBe(true)
  })

  it.each([
    '0xmaki',
    '@0xMaki',
    '0xmaki@example.org',
    EVM,
    `EVM:${EVM}`,
    `solana:${SOLANA}`,
    '0x1',
    `0x${'a1'.repeat(32)}`,
    '0x1654653399040a61',
  ])('offers %s as a new member', (text) => {
    expect(isPartOfAddress(text)).toBe(false)
  })
})
