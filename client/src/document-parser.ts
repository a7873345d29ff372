/*
 * Parses a GraphQL document at compile time. A parser returns a pair of its result and the remaining text, or null if
 * the text does not match. No code is generated.
 */

type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type NameCharacter = Letter | Uppercase<Letter> | Digit | '_'
type Blank = ' ' | '\n' | '\t' | '\r' | ',' | '\uFEFF'

/** A selected field: its response key, its name, and whether @skip or @include may omit it. */
export interface Field {
  kind: 'field'
  key: string
  name: string
  optional: boolean
  selections: readonly Selection[] | null
}

/** `...Name`. */
export interface Spread {
  kind: 'spread'
  name: string
  optional: boolean
}

/** `... on Type { }`. */
export interface Inline {
  kind: 'inline'
  optional: boolean
  selections: readonly Selection[]
}

export type Selection = Field | Spread | Inline

/** A declared variable; `type` is its type reference without spaces. */
export interface Variable {
  name: string
  type: string
  hasDefault: boolean
}

/** A parsed document. `operations` has one element in a document that can be typed. */
export interface Document {
  operations: ReadonlyArray<{ variables: readonly Variable[]; selections: readonly Selection[] }>
  fragments: Record<string, readonly Selection[]>
}

/** Returns the parts of a document, or null if it cannot be parsed. */
export type ParseDocument<
  Text extends string,
  Operations extends readonly unknown[] = [],
  Fragments = Record<never, never>,
> =
  Trim<Text> extends infer Start extends string
    ? Start extends ''
      ? { operations: Operations; fragments: Fragments }
      : Start extends `{${infer Body}`
        ? ParseSelections<Body> extends [infer Selections, infer Rest extends string]
          ? ParseDocument<Rest, [...Operations, { variables: []; selections: Selections }], Fragments>
          : null
        : Start extends `fragment${infer Head}{${infer Body}`
          ? ParseSelections<Body> extends [infer Selections, infer Rest extends string]
            ? ParseDocument<Rest, Operations, Fragments & Record<TakeName<Trim<Head>>[0], Selections>>
            : null
          : Start extends `query${infer Head}`
            ? ParseVariables<AfterName<Trim<Head>>> extends [infer Variables, infer AfterVariables extends string]
              ? AfterDirectives<AfterVariables> extends [unknown, `{${infer Body}`]
                ? ParseSelections<Body> extends [infer Selections, infer Rest extends string]
                  ? ParseDocument<Rest, [...Operations, { variables: Variables; selections: Selections }], Fragments>
                  : null
                : null
              : null
            : null
    : null

/** Parses selections up to the closing brace. */
type ParseSelections<Text extends string, Result extends readonly unknown[] = []> =
  Trim<Text> extends infer Start extends string
    ? Start extends `}${infer Rest}`
      ? [Result, Rest]
      : (Start extends `...${infer Rest}` ? ParseFragment<Trim<Rest>> : ParseField<Start>) extends [
            infer One,
            infer Rest extends string,
          ]
        ? ParseSelections<Rest, [...Result, One]>
        : null
    : null

type ParseField<Text extends string> =
  ParseKey<Text> extends [infer Key, infer Name, infer AfterKey extends string]
    ? Name extends ''
      ? null
      : AfterDirectives<AfterArguments<Trim<AfterKey>>> extends [infer Optional, infer Rest extends string]
        ? Rest extends `{${infer Body}`
          ? ParseSelections<Body> extends [infer Selections, infer AfterBody]
            ? [{ kind: 'field'; key: Key; name: Name; optional: Optional; selections: Selections }, AfterBody]
            : null
          : [{ kind: 'field'; key: Key; name: Name; optional: Optional; selections: null }, Rest]
        : null
    : null

/** `name` or `alias: name`. */
type ParseKey<Text extends string> =
  TakeName<Text> extends [infer First, infer Rest extends string]
    ? Trim<Rest> extends `:${infer AfterAlias}`
      ? TakeName<Trim<AfterAlias>> extends [infer Name, infer AfterName]
        ? [First, Name, AfterName]
        : null
      : [First, First, Rest]
    : null

/** Parses what follows `...`. */
type ParseFragment<Text extends string> =
  TakeName<Text> extends [infer Name, infer Rest extends string]
    ? Name extends '' | 'on'
      ? AfterDirectives<Name extends 'on' ? Trim<AfterName<Trim<Rest>>> : Text> extends [
          infer Optional,
          `{${infer Body}`,
        ]
        ? ParseSelections<Body> extends [infer Selections, infer AfterBody]
          ? [{ kind: 'inline'; optional: Optional; selections: Selections }, AfterBody]
          : null
        : null
      : AfterDirectives<Trim<Rest>> extends [infer Optional, infer AfterDirectives]
        ? [{ kind: 'spread'; name: Name; optional: Optional }, AfterDirectives]
        : null
    : null

type ParseVariables<Text extends string> = Text extends `(${infer Rest}` ? ParseVariableList<Trim<Rest>> : [[], Text]

type ParseVariableList<Text extends string, Result extends readonly unknown[] = []> = Text extends `)${infer Rest}`
  ? [Result, Trim<Rest>]
  : Text extends `$${infer Declaration}`
    ? TakeName<Declaration> extends [infer Name, infer AfterName extends string]
      ? Trim<AfterName> extends `:${infer Typed}`
        ? TakeType<Trim<Typed>> extends [infer Type, infer AfterType extends string]
          ? AfterDefault<Trim<AfterType>> extends [infer HasDefault, infer Rest extends string]
            ? ParseVariableList<Rest, [...Result, { name: Name; type: Type; hasDefault: HasDefault }]>
            : null
          : null
        : null
      : null
    : null

/** A type reference: letters, digits, brackets and exclamation marks. */
type TakeType<Text extends string, Result extends string = ''> = Text extends `${infer Character}${infer Rest}`
  ? Character extends NameCharacter | '[' | ']' | '!'
    ? TakeType<Rest, `${Result}${Character}`>
    : [Result, Text]
  : [Result, '']

/** Returns whether a default value follows, and the text from the next variable or the closing parenthesis. */
type AfterDefault<Text extends string, HasDefault extends boolean = false> = Text extends `$${string}` | `)${string}`
  ? [HasDefault, Text]
  : Text extends `"${infer Quoted}`
    ? AfterDefault<AfterString<Quoted>, HasDefault>
    : Text extends `=${infer Rest}`
      ? AfterDefault<Rest, true>
      : Text extends `${string}${infer Rest}`
        ? AfterDefault<Rest, HasDefault>
        : null

/** Returns the text after `( )`, if present. Parentheses in strings are ignored. */
type AfterArguments<Text extends string> = Text extends `(${infer Rest}` ? Trim<AfterParenthesis<Rest>> : Text

type AfterParenthesis<Text extends string> = Text extends `${infer Inside})${infer Rest}`
  ? Inside extends `${string}"${string}`
    ? Text extends `${string}"${infer Quoted}`
      ? AfterParenthesis<AfterString<Quoted>>
      : null
    : Rest
  : ''

/** Returns the text after a string whose opening quote was read. */
type AfterString<Text extends string> = Text extends `""${infer Block}`
  ? Block extends `${string}"""${infer Rest}`
    ? Rest
    : ''
  : Text extends `${infer Inside}"${infer Rest}`
    ? Inside extends `${string}\\`
      ? AfterString<Rest>
      : Rest
    : ''

/** Returns whether @skip or @include follows, and the text after all directives. */
type AfterDirectives<Text extends string, Optional extends boolean = false> = Text extends `@${infer Directive}`
  ? TakeName<Directive> extends [infer Name, infer Rest extends string]
    ? AfterDirectives<AfterArguments<Trim<Rest>>, Name extends 'skip' | 'include' ? true : Optional>
    : null
  : [Optional, Text]

type AfterName<Text extends string> = Trim<TakeName<Text>[1]>

type TakeName<Text extends string, Name extends string = ''> = Text extends `${infer Character}${infer Rest}`
  ? Character extends NameCharacter
    ? TakeName<Rest, `${Name}${Character}`>
    : [Name, Text]
  : [Name, '']

/** Removes leading white space, commas and comments. */
type Trim<Text extends string> = Text extends `        ${infer Rest}`
  ? Trim<Rest>
  : Text extends `${Blank}${infer Rest}`
    ? Trim<Rest>
    : Text extends `#${infer Comment}`
      ? Comment extends `${string}\n${infer Rest}`
        ? Trim<Rest>
        : ''
      : Text
