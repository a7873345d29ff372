import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Rule = readonly [name: string, pattern: RegExp]

/** Constructions that make technical English hard to read. */
const RULES: readonly Rule[] = [
  [
    'a clause with "who" or "what" as the subject',
    /(?:^|[.;:!?]\s+|\(|\n)(?:who|what)(?:ever)?\s+(?!(?:is|are|does|do|was|were|happens|if|should|can|could|would|will|did|has|have|about|else|you|to)\b)[^?\n]{0,160}[.;:)]/gi,
  ],
  [
    '"who" without a noun',
    /(?:[,(]\s+|\b(?:of|for|by|to|from|and|or|than|with|tells|until|unless|when|but|as)\s+)who(?:ever)?\s+(?:is|are|was|were|has|have|had|may|can|cannot|does|did|made|[a-z]+s)\b/gi,
  ],
  [
    '"is no", "is none"',
    /\b(?:is|are|was|were|be)\s+(?:no(?!\s+(?:longer|more|one|need|way|limit|matter|such))\s+[a-z]+|none)\b/gi,
  ],
  ['"stands" or "lies" for "is"', /\b(?:stands?|stood|lies|lay)\b(?!\s+(?:still|alone|out|by|up)\b)/gi],
  ['"tells" for "reports" or "returns"', /\b(?:tells?|told|telling)\b/gi],
  ['"everybody", "nobody", "somebody", "anybody"', /\b(?:every|no|some|any)body\b/gi],
  ['an old adverb', /\b(?:anew|besides?|thereof|whereof|meanwhile)\b/gi],
  ['"so many", "as often as"', /\b(?:so many|only so|as often as)\b/gi],
  ['"the one that"', /\bthe ones?\b[^.;\n]{0,60}\b(?:that|who|which)\b/gi],
  ['"of its own"', /\bof (?:ours|(?:its|their|his|one's) own)\b/gi],
  ['"answers" for "returns"', /\b(?:which|that|it|service|endpoint|server|query|field)\s+answers?\b(?!\s+to\b)/gi],
]

/** Participles that do not end in "ed". Those that are also adjectives, such as "open" and "hidden", are not here. */
const IRREGULAR =
  'brought|built|chosen|cut|drawn|found|given|held|kept|left|made|paid|put|read|run|said|seen|sent|shown|split|taken|thrown|told|written'
const PASSIVE_START: Rule = [
  'a passive at the beginning of a name',
  new RegExp(
    String.raw`^(?:[^:]*: |%\w )?(?:(?:is|are)(?: (?:all|always|never|not|only|still))?|can(?:not)? be)` +
      String.raw` (?!un)(?:[a-z]{3,}ed|${IRREGULAR})(?![\w-])`,
    'g',
  ),
]

/** The maximum of hard constructions per 1,000 words for each kind of text. Never raise a limit. */
const LIMITS = {
  'comments of the code': 1,
  'comments of tests': 1,
  'comments of other files': 1,
  'names of tests': 1,
  'beginnings of names of tests': 0,
  messages: 1,
  'manual and README': 1,
  decisions: 1,
  'GraphQL schemas': 1,
  'texts of the pages': 1,
}
type Kind = keyof typeof LIMITS

interface Passage {
  text: string
  at: number
}

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|(?:^|[^:'"`\\])\/\/(?!\/)\s?([^\n]*)|^\s*(?:--|#)\s?([^\n]*)|"""([\s\S]*?)"""/gm
/** Comments after `#`, also behind code, and docstrings. A `#` in a string is no comment. */
const HASH_COMMENT =
  /"""([\s\S]*?)"""|(?<!\w\w)(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?:^|[ \t])#(?!!)\s?([^\n]*)/gm
const HTML_COMMENT = /<!--([\s\S]*?)-->|\/\*([\s\S]*?)\*\/|(?:^|[^:'"`\\])\/\/\s?([^\n]*)/gm
const TEST_NAME =
  /^\s*(?:(?:it|test|describe)(?:\.\w+)*(?:(?:<[^\n]*>)?\([^\n]*?\))??|\][^\n()]*\))\(\s*(['"`])((?:(?!\1)[^\\]|\\.)+)\1/gm
const SENTENCE = /(['"`])((?:(?!\1)[^\\\n]|\\.){12,})\1/g
const GENERATED = /package-lock|\.svg$|\/tables\.ts$|client\/src\/schema\.ts$|RESULTS\.md$|\/migrations\//

const CODE = /\.(?:tsx?|m?js)$/
const OTHER = /\.(?:md|graphql|css|html|ya?ml|sh|py|env|service|conf)$|(?:^|\/)Dockerfile$/

/** The hard constructions in a text. */
export function hardPlaces(text: string, kind?: Kind): { rule: string; text: string; at: number }[] {
  const rules = kind === 'beginnings of names of tests' ? [PASSIVE_START] : RULES
  return rules.flatMap(([rule, pattern]) =>
    [...text.matchAll(pattern)].map((match) => ({ rule, text: match[0].trim().replace(/\s+/g, ' '), at: match.index })),
  )
}

/** The passages of prose in a file, by kind. */
export function passagesOf(file: string, source: string): [Kind, Passage[]][] {
  if (file.endsWith('.md'))
    return [
      [file.startsWith('docs/decisions/') ? 'decisions' : 'manual and README', [{ text: withoutCode(source), at: 0 }]],
    ]
  // The rules are about English words.
  if (file.startsWith('web/src/texts/de/')) return []
  if (file.startsWith('web/src/texts/')) return [['texts of the pages', matches(source, SENTENCE)]]
  if (file.endsWith('.graphql')) return [['GraphQL schemas', matches(source, COMMENT)]]
  if (!CODE.test(file)) return [['comments of other files', matches(source, commentPattern(file))]]
  const isTest = /(^|\/)test\//.test(file)
  if (isTest) {
    const names = matches(source, TEST_NAME)
    return [
      ['comments of tests', matches(source, COMMENT)],
      ['names of tests', names],
      ['beginnings of names of tests', names],
    ]
  }
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '))
  const messages = matches(code, SENTENCE).filter(
    ({ text }) => / [a-z]+ [a-z]+ /.test(text) && !/\b(?:SELECT|FROM|WHERE|SET|VALUES)\b/.test(text),
  )
  return [
    ['comments of the code', matches(source, COMMENT)],
    ['messages', messages],
  ]
}

function commentPattern(file: string): RegExp {
  if (file.endsWith('.html')) return HTML_COMMENT
  return file.endsWith('.css') ? COMMENT : HASH_COMMENT
}

const matches = (source: string, pattern: RegExp): Passage[] =>
  [...source.matchAll(pattern)].flatMap((match) => {
    const text = match.slice(1).findLast((group) => group !== undefined)
    return text === undefined ? [] : [{ text: withoutCode(text.replace(/^\s*\*\s?/gm, '')), at: match.index }]
  })

function withoutCode(text: string): string {
  return text
    .replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`|\$\{[^}]*\}/g, 'X')
    .replace(/\]\([^)]*\)/g, ']')
}

const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length

function check(root: string, paths: readonly string[], all: boolean): boolean {
  const listed = execFileSync('git', ['ls-files', '--', ...paths], { cwd: root, encoding: 'utf8' }).split('\n')
  const files = listed.filter(
    (file) => (CODE.test(file) || OTHER.test(file)) && !GENERATED.test(file) && existsSync(join(root, file)),
  )
  const totals = new Map<Kind, { words: number; places: string[] }>()
  for (const file of files) {
    const source = readFileSync(join(root, file), 'utf8')
    for (const [kind, passages] of passagesOf(file, source)) {
      const total = totals.get(kind) ?? { words: 0, places: [] }
      totals.set(kind, total)
      for (const { text, at } of passages) {
        total.words += text.match(/[A-Za-z][A-Za-z'-]*/g)?.length ?? 0
        for (const place of hardPlaces(text, kind))
          total.places.push(
            `${file}:${lineAt(source, at) + lineAt(text, place.at) - 1}: ${place.rule}: ${place.text.slice(0, 90)}`,
          )
      }
    }
  }
  let passed = true
  for (const [kind, { words, places }] of totals) {
    const rate = words === 0 ? 0 : (1000 * places.length) / words
    const exceeded = rate > LIMITS[kind]
    if (exceeded) passed = false
    if (exceeded || all) {
      for (const place of places) console.log(place)
      console.log(
        `${kind}: ${rate.toFixed(1)} hard constructions per 1,000 words, at most ${LIMITS[kind]} (${words} words)`,
      )
    }
  }
  return passed
}

if (import.meta.main) {
  const paths = process.argv.slice(2).filter((argument) => argument !== '--all')
  if (!check(join(import.meta.dirname, '..'), paths, process.argv.includes('--all'))) process.exitCode = 1
}
