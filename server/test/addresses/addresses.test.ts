import { describe, expect, it } from 'vitest'
import { canonicalMember, isPartOfAddress } from '../../src/addresses/addresses.ts'

const EVM = `0x${'5e'.repeat(20)}`
const SOLANA = 'So11111111111111111111111111111111111111112'

const isPart = (text: string) => isPartOfAddress(canonicalMember(text) ?? '')

describe('a part of an address', () => {
  it.each([
    ['an address as pages shorten it', '0x5e5e…5e5e'],
    ['an address with dots in the middle', '0x5e5e...5e5e'],
    ['an address with two dots in the middle', '0x5E5E..5E5E'],
    ['an address with the letter O', `${EVM.slice(0, -1)}O`],
    ['39 digits', EVM.slice(0, -1)],
    ['41 digits', `${EVM}5`],
    ['few digits', '0x12'],
    ['no digits', '0x'],
    ['few digits after @', '@0x12'],
    ['a long text', `0x${'maki'.repeat(7)}`],
    ['a text with a space', '0xmaki 2'],
    ['39 digits after the prefix of EVM', `EVM:${EVM.slice(0, -1)}`],
    ['a shortened address of Solana', 'solana:So1111…1112'],
  ])('is %s', (_, text) => {
    expect(isPart(text)).toBe(true)
  })

  it.each([
    ['a handle', '0xmaki'],
    ['a handle in upper case after @', '@0xMAKI'],
    ['a handle with a dot', '0xdad.eth'],
    ['a handle with a hyphen', '0xdead-beef'],
    ['a handle with an underscore', '0x_fee'],
    ['the longest handle', `0x${'z'.repeat(27)}`],
    ['a mail address', '0xmaki@example.org'],
    ['an address of EVM', EVM],
    ['an address of EVM with its prefix', `evm:${EVM}`],
    ['an address of Solana with its prefix', `solana:${SOLANA}`],
    ['a special address of Aptos', '0x1'],
    ['an address of Aptos', `0x${'a1'.repeat(32)}`],
    ['an address of Flow', '0x1654653399040a61'],
    ['a name with 0x inside', 'maki0x12'],
  ])('is not %s', (_, text) => {
    expect(isPart(text)).toBe(false)
  })
})
