import { describe, expect, it } from 'vitest'
import { canonicalMember, isPartOfAddress } from '../../src/addresses/addresses.ts'

const EVM = `0x${'5e'.repeat(20)}`
const SOLANA = 'So11111111111111111111111111111111111111112'
const APTOS = `0x${'a1'.repeat(32)}`
const INJECTIVE = 'inj1npvwllfr9dqr8erajqqr6s0vxnk2ak55re90dz'

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
    ['a text with a space', '0xmaki 2'],
    ['39 digits after the prefix of EVM', `EVM:${EVM.slice(0, -1)}`],
    ['39 digits after the prefix of Aptos', `aptos:${EVM.slice(0, -1)}`],
    ['a shortened address of Solana', 'So1111…1112'],
    ['a shortened address of Solana with its prefix', 'solana:So1111…1112'],
    ['an address of Solana with the letter O', `solana:${SOLANA.replace('o', 'O')}`],
    ['an address of Solana without its last character', `solana:${SOLANA.slice(0, -1)}`],
    ['a shortened address of Injective', 'inj1np…90dz'],
    ['an address of Injective with a wrong letter', INJECTIVE.replace('z', 'x')],
    ['an address of Injective without its last letter', INJECTIVE.slice(0, -1)],
    ['a shortened text of any kind', 'rowan..2'],
    ['two dots in a row after 0x', '0xma..ki'],
  ])('is %s', (_, text) => {
    expect(isPart(text)).toBe(true)
  })

  it.each([
    ['a handle', '0xmaki'],
    ['a handle in upper case after @', '@0xMAKI'],
    ['a handle with a dot', '0xdad.eth'],
    ['a handle with a hyphen', '0xdead-beef'],
    ['a handle with an underscore', '0x_fee'],
    ['a handle as long as Discord and Telegram allow', `0x${'maki'.repeat(7)}_2`],
    ['a handle as long as GitHub allows', `0x${'kumo-dev'.repeat(4)}-team`],
    ['a handle with letters of other languages', '0xмаки'],
    ['a handle with hex digits and a letter of another language', '0xbé'],
    ['a mail address', '0xmaki@example.org'],
    ['an address of EVM', EVM],
    ['an address of EVM with its prefix', `evm:${EVM}`],
    ['an address of Solana with its prefix', `solana:${SOLANA}`],
    ['a special address of Aptos', '0x1'],
    ['an address of Aptos', APTOS],
    ['an address of Aptos with its prefix', `aptos:${APTOS}`],
    ['an address of Injective', INJECTIVE],
    ['an address of Flow', '0x1654653399040a61'],
    ['a name with 0x inside', 'maki0x12'],
    ['a name that begins as an address of Injective', 'inj1ect'],
  ])('is not %s', (_, text) => {
    expect(isPart(text)).toBe(false)
  })
})

describe('the canonical form of a member', () => {
  it.each([
    ['EVM', `EVM:${EVM}`, EVM],
    ['Solana', `Solana:${SOLANA}`, SOLANA],
    ['Aptos', `APTOS:${APTOS}`, APTOS],
    ['a special address of Aptos', 'aptos:0xA', `0x${'a'.padStart(64, '0')}`],
  ])('has no prefix of %s', (_, text, canonical) => {
    expect(canonicalMember(text)).toBe(canonical)
  })

  it.each([EVM, SOLANA, APTOS, INJECTIVE, '0x1', '0x1654653399040a61', `evm:${EVM}`, `solana:${SOLANA}`])(
    'is the same for %s after @',
    (text) => {
      expect(canonicalMember(`@${text}`)).toBe(canonicalMember(text))
    },
  )
})
