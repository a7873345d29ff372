import fc from 'fast-check'

/** The choices of a generator, which fast-check derives from its seed. */
export interface Draw {
  /** An integer from 0 to `most`. */
  upTo(most: number): number
  pick<T>(among: readonly T[]): T
  /** True with this probability. */
  chance(probability: number): boolean
  from<T>(arbitrary: fc.Arbitrary<T>): T
}

const naturals = new Map<number, fc.Arbitrary<number>>()
function natural(most: number): fc.Arbitrary<number> {
  let known = naturals.get(most)
  if (!known) naturals.set(most, (known = fc.nat(most)))
  return known
}

/** An arbitrary of the values that `make` builds from its draws. */
export function drawn<T>(make: (draw: Draw) => T): fc.Arbitrary<T> {
  return fc.gen().map((generate) => {
    const upTo = (most: number) => generate(natural, most)
    return make({
      upTo,
      pick: (among) => among[upTo(among.length - 1)] as (typeof among)[number],
      chance: (probability) => upTo(999) < probability * 1000,
      from: (arbitrary) => generate(() => arbitrary),
    })
  })
}

/** The text with a part removed, doubled, swapped, changed or inserted. */
export function edited(draw: Draw, text: string): string {
  if (text === '') return draw.pick(NOISE)
  const at = draw.upTo(text.length - 1)
  const end = Math.min(text.length, at + 1 + draw.upTo(12))
  const piece = text.slice(at, end)
  switch (draw.upTo(4)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, at) + piece + piece + text.slice(end)
    case 2:
      return text.slice(0, at) + draw.pick(NOISE) + text.slice(at)
    case 3:
      return text.slice(0, at) + draw.pick(NOISE) + text.slice(end)
    default:
      return text.slice(end) + text.slice(0, at) + piece
  }
}

/** Texts that have broken parsers, databases and number conversions before. */
export const NOISE: readonly string[] = [
  ...[
    '',
    ' ',
    '\u0000',
    '\\u0000',
    '\ud800',
    '\ufeff',
    '\u202e',
    '\u2028',
    '\r\n',
    '\n\n',
    '\t',
    '%00',
    '%',
    '%zz',
    '+',
  ],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '$',
    '@',
    '&',
    '=',
    ';',
    ',',
    ':',
    '#',
    '!',
    '...',
    '|',
    '<',
    '>',
  ],
  ...[
    'null',
    'true',
    'NaN',
    '-0',
    '1e999',
    '2147483648',
    '-2147483649',
    '9007199254740993',
    '9'.repeat(400),
    '0x',
    '1_0',
  ],
  ...[
    "'; DROP TABLE quests; --",
    '../../etc/passwd',
    '__proto__',
    'constructor',
    'toString',
    '${1}',
    '{{x}}',
    '<script>',
  ],
  ...['ﬀ'.repeat(300), 'a'.repeat(5_000), '🦊', 'İ', 'ß', '\u0301', '０'],
]
