import { describe, expect, it } from 'vitest'
import { splitLongCells } from '../long-cells.ts'

const words = (count: number) => `${Array.from({ length: count }, (_, n) => `w${n}`).join(' ')}.`

describe('splitLongCells', () => {
  it('keeps cells of up to 25 words', () => {
    const texts = ['A board.', words(25), `${words(10)} ${words(15)}`, '']
    expect(splitLongCells(texts.map((text) => ({ name: '`a`', text })))).toEqual({ cells: texts, below: '' })
  })

  it('moves the sentences that exceed 25 words below the table', () => {
    const rows = [
      { name: '`a`', text: `${words(10)} ${words(15)} Returns \`a.b\`. Or null.` },
      { name: '`b`', text: 'A board.' },
      { name: '`c`', text: `${words(20)} ${words(6)}` },
    ]
    expect(splitLongCells(rows)).toEqual({
      cells: [`${words(10)} ${words(15)}`, 'A board.', words(20)],
      below: `\n- \`a\`: Returns \`a.b\`. Or null.\n- \`c\`: ${words(6)}\n`,
    })
  })

  it('keeps a single long sentence in its cell', () => {
    expect(splitLongCells([{ name: '`a`', text: words(30) }])).toEqual({ cells: [words(30)], below: '' })
  })
})
