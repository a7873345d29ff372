import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { signInName } from '../../src/settings/brand.ts'
import { BRIGHT, contrastWithWhite, shadesOf, STRONG } from '../../src/settings/shades.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h1v1z" fill="url(#a)"/></svg>'
const load = (settings: Record<string, string>) => loadConfig({ PORT: '0', ...settings }).brand

describe('the settings of the appearance', () => {
  it('default to the software', () => {
    expect(load({})).toMatchObject({ name: 'Questboard', accent: undefined, logo: undefined })
  })

  it('take one line of text as the name', () => {
    expect(load({ QUESTBOARD_NAME: ' Café Boards ' }).name).toBe('Café Boards')
    for (const name of [' ', 'a\nb', 'x'.repeat(41)])
      expect(() => load({ QUESTBOARD_NAME: name }), name).toThrow(/QUESTBOARD_NAME must/)
  })

  it('take a colour in six hexadecimal digits', () => {
    expect(load({ QUESTBOARD_ACCENT: '#0B7285' }).accent?.onLight).toBe('#0b7285')
    for (const colour of ['0b7285', '#fff', 'teal', '#0b72855', 'red;}body{'])
      expect(() => load({ QUESTBOARD_ACCENT: colour }), colour).toThrow('QUESTBOARD_ACCENT must be a colour such as')
  })

  it('take an SVG document or a picture as the logo', () => {
    expect(load({ QUESTBOARD_LOGO: SVG }).logo).toEqual({ type: 'image/svg+xml', bytes: Buffer.from(SVG) })
    expect(load({ QUESTBOARD_LOGO: `<?xml version="1.0"?>\n<!-- made by hand -->\n${SVG}` }).logo?.type).toBe(
      'image/svg+xml',
    )
    expect(load({ QUESTBOARD_LOGO: 'data:image/png;base64,iVBORw0KGgo=' }).logo?.type).toBe('image/png')
  })

  it.each([
    ['a path', '/srv/logo.svg', 'must be an SVG document'],
    ['HTML', '<html></html>', 'must be an SVG document'],
    ['an SVG without its namespace', '<svg></svg>', 'must have xmlns='],
    ['a script', SVG.replace('<path', '<script>alert(1)</script><path'), 'without scripts'],
    ['an event handler', SVG.replace('<path', '<path onload="alert(1)"'), 'without scripts'],
    [
      'a picture of another site',
      SVG.replace('<path', '<image href="https://evil.example/x.png"/><path'),
      'without scripts',
    ],
    ['a large file', SVG.replace('<path', `<!--${'x'.repeat(300_000)}--><path`), 'at most 256 KiB'],
  ])('refuse %s as the logo', (_, logo, message) => {
    expect(() => load({ QUESTBOARD_LOGO: logo })).toThrow(message)
  })

  it('give wallets a name of allowed characters', () => {
    expect(signInName(load({ QUESTBOARD_NAME: 'Guild Boards' }))).toBe('Guild Boards')
    expect(signInName(load({ QUESTBOARD_NAME: 'Café "Boards"' }))).toBe('this site')
  })
})

describe('the shades of a colour', () => {
  const colours = ['#5f3dc4', '#ff0000', '#ffff00', '#00ff00', '#0000ff', '#888888', '#000000', '#ffffff', '#ff7a00']

  it.each(colours)('are readable: %s', (colour) => {
    const shades = shadesOf(colour)
    expect(shades).toHaveLength(10)
    for (const shade of shades) expect(shade).toMatch(/^#[0-9a-f]{6}$/)
    expect(contrastWithWhite(shades[STRONG]!)).toBeGreaterThanOrEqual(4.5)
    expect(contrastWithWhite(shades[STRONG - 1]!)).toBeGreaterThanOrEqual(4.5)
    // The background of dark pages, #17191d.
    expect(contrastWithWhite('#17191d') / contrastWithWhite(shades[BRIGHT]!)).toBeGreaterThanOrEqual(4.5)
  })

  it('keep a colour that is readable', () => {
    expect(shadesOf('#0b7285')[STRONG]).toBe('#0b7285')
    expect(shadesOf('#ffd43b')[STRONG]).not.toBe('#ffd43b')
  })
})
