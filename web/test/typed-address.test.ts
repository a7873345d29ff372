import { describe, expect, it } from 'vitest'
import { shortAddress } from '../src/shell/addresses.ts'
import { canBeAddress, isPartOfAddress, isWallet } from '../src/shell/typed-address.ts'

const EVM = `0x${'5e'.repeat(20)}`
const SOLANA = 'So11111111111111111111111111111111111111112'
const APTOS = `0x${'a1'.repeat(32)}`
const INJECTIVE = 'inj1npvwllfr9dqr8erajqqr6s0vxnk2ak55re90dz'
const SYSTEM_PROGRAM = '1'.repeat(32)

describe('the form for awards', () => {
  it.each([
    ...[EVM, SOLANA, INJECTIVE].map(shortAddress),
    '0x5e5e...5e5e',
    `${EVM.slice(0, -1)}O`,
    EVM.slice(0, -1),
    `${EVM}5`,
    '0x12',
    '@0x12',
    `evm:${EVM.slice(0, -1)}`,
    `aptos:${EVM}`,
    `solana:${SOLANA.replace('o', 'O')}`,
    `solana:${SOLANA.replace('o', 'l')}`,
    `solana:${SYSTEM_PROGRAM.slice(1)}`,
  ])('does not offer the part of an address %s as a new member', (text) => {
    expect(isPartOfAddress(text)).toBe(true)
    expect(isWallet(text)).toBe(false)
  })

  it.each([
    '0xmaki',
    '@0xMaki',
    '0xмаки',
    `0x${'kumo-dev'.repeat(4)}`,
    '0xmaki@example.org',
    '0x1',
    '0x1654653399040a61',
  ])('searches %s, and offers it as a new member', (text) => {
    expect(isPartOfAddress(text)).toBe(false)
    expect(isWallet(text)).toBe(false)
  })

  it.each([
    EVM,
    `EVM:${EVM}`,
    APTOS,
    `Aptos:${APTOS}`,
    INJECTIVE,
    SOLANA,
    `solana:${SOLANA}`,
    `solana:${SYSTEM_PROGRAM}`,
  ])('awards to the address %s without a search', (text) => {
    expect(isPartOfAddress(text)).toBe(false)
    expect(isWallet(text)).toBe(true)
  })
})

describe('the field for an address to check', () => {
  it.each([EVM, `aptos:${APTOS}`, `solana:${SOLANA}`, SOLANA, '0x1', '@rowan', '0xmaki', 'mara@example.org'])(
    'accepts %s',
    (text) => {
      expect(canBeAddress(text)).toBe(true)
    },
  )

  it.each(['0x12', `solana:${SOLANA.replace('o', 'O')}`, shortAddress(SOLANA), 'mara@example', 'two words'])(
    'refuses %s',
    (text) => {
      expect(canBeAddress(text)).toBe(false)
    },
  )
})
