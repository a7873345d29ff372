import { describe, expect, it } from 'vitest'
import { drawable, inLines, shortened, textWidth } from '../../src/images/text-width.ts'

describe('texts on images', () => {
  it('keep their letters in the scripts of the font', () => {
    for (const text of ['Meridian', 'Łódź Žižkov', 'Привет', 'Ελλάδα', 'Việt Nam', '12,345', 'a – b … © €'])
      expect(drawable(text), text).toBe(text)
  })

  it('have composed letters and single spaces', () => {
    expect(drawable('Cafe\u0301 \t\n  bar')).toBe('Café bar')
  })

  it('lose symbols that the font does not have', () => {
    expect(drawable('🚀 To the 👩‍🚀 moon ❤️')).toBe('To the moon')
    expect(drawable('a\u0000\u202eb')).toBe('ab')
  })

  it('disappear as a whole if the font lacks a letter, or nothing remains', () => {
    for (const text of ['漢字', 'Team 漢字', 'مرحبا', 'नमस्ते', '🚀🚀', '', ' ', '٣', '— …'])
      expect(drawable(text), text).toBe(undefined)
  })

  it('end with an ellipsis where the place ends', () => {
    expect(shortened('Meridian', 20, 200)).toBe('Meridian')
    const cut = shortened('A long name of a community', 20, 100)
    expect(cut).toMatch(/^A long\S*…$/)
    expect(textWidth(cut, 20)).toBeLessThanOrEqual(100)
  })

  it('break at spaces, or inside of a word that is longer than a line', () => {
    expect(inLines('one two three', 20, 90, 2)).toEqual(['one two', 'three'])
    expect(inLines('one', 20, 90, 2)).toEqual(['one'])
    expect(inLines('', 20, 90, 2)).toEqual([])
    const lines = inLines('W'.repeat(100), 20, 90, 2)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/^W+…$/)
    for (const line of lines) expect(textWidth(line, 20)).toBeLessThanOrEqual(90)
  })
})
