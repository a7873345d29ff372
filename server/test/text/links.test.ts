import { describe, expect, it } from 'vitest'
import { isWebLink, splitLinks } from '../../src/text/links.ts'

const linksOf = (text: string) =>
  splitLinks(text)
    .filter(({ isLink }) => isLink)
    .map((part) => part.text)

describe('the links of a text', () => {
  it.each([
    ['See https://a.example/x?y=1#z for more', ['https://a.example/x?y=1#z']],
    ['Read https://a.example. Then http://b.example/c!', ['https://a.example', 'http://b.example/c']],
    ['(https://a.example/rules), (see https://b.example).', ['https://a.example/rules', 'https://b.example']],
    ['https://en.example/wiki/Quest_(game)', ['https://en.example/wiki/Quest_(game)']],
    ['<a href="https://a.example">', ['https://a.example']],
    ['javascript:alert(1) data:text/html,x ftp://a.example a.example', []],
    ['https:// and http://', []],
    [
      '„https://a.example“ «https://b.example/x» ‚https://c.example‘',
      ['https://a.example', 'https://b.example/x', 'https://c.example'],
    ],
    ['[https://a.example/x] https://b.example。次', ['https://a.example/x', 'https://b.example']],
    ['https://a.example,https://b.example', ['https://a.example', 'https://b.example']],
    ['(see https://en.example/w_(b)).', ['https://en.example/w_(b)']],
    [`https://a.example/${').'.repeat(100_000)}`, ['https://a.example/']],
    [`https://a.example/${'.'.repeat(100_000)}x`, [`https://a.example/${'.'.repeat(100_000)}x`]],
    ['', []],
  ])('splitLinks finds them: %s', (text, links) => {
    expect(linksOf(text)).toEqual(links)
  })

  it('leave the text whole', () => {
    const text = 'Bridge.\n\nHow: https://a.example/how.\nhttps://[ or https://b.example'
    expect(splitLinks(text).reduce((joined, part) => joined + part.text, '')).toBe(text)
  })
})

describe('a link of a page', () => {
  it.each(['https://a.example', 'http://a.example:8080/x y?z#w', 'HTTPS://A.EXAMPLE'])('is %s', (text) => {
    expect(isWebLink(text)).toBe(true)
  })

  it.each([
    '',
    'a.example',
    'https://',
    'https:///x',
    'https://two words',
    ' https://a.example',
    'javascript:alert(1)',
  ])('is not %j', (text) => {
    expect(isWebLink(text)).toBe(false)
  })
})
