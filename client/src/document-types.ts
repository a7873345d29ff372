import type { Field, Inline, ParseDocument, Selection, Spread, Variable } from './document-parser.ts'
import type { Inputs, Query } from './schema.ts'

/** Data of a document whose text is unknown at compile time; callers must check each value. */
export type AnyData = Record<string, unknown>

/**
 * The type of a document's data, from its text: `ResultOf<'{ space(id: 1) { name } }'>` is `{ space: { name: string } |
 * null }`. Unknown fields are `unknown`. A document with several operations, or one that cannot be parsed, has `AnyData`.
 */
export type ResultOf<Text extends string> = string extends Text
  ? AnyData
  : ParseDocument<Text> extends {
        operations: readonly [{ selections: infer Selections extends readonly Selection[] }]
        fragments: infer Fragments
      }
    ? Select<Query, Selections, Fragments>
    : AnyData

/** The variables of a document, from its text. */
export type VariablesOf<Text extends string> = string extends Text
  ? AnyData
  : ParseDocument<Text> extends { operations: readonly [{ variables: infer Variables extends readonly Variable[] }] }
    ? VariableTypes<Variables>
    : AnyData

/** A document with types, as code generators create it; `String(document)` is its text. */
export interface TypedDocument<Data, Variables> {
  toString(): string
  /** Never called; carries the types. */
  __apiType?: (variables: Variables) => Data
}

/** The data of a value of `Type`. Without selections (a scalar or an enum) it is `Type`. Null and lists are kept. */
type Select<Type, Selections extends readonly Selection[] | null, Fragments> = Selections extends readonly Selection[]
  ? unknown extends Type
    ? unknown
    : Type extends null
      ? null
      : Type extends ReadonlyArray<infer Item>
        ? Array<Select<Item, Selections, Fragments>>
        : Flat<SelectAll<Type, Selections, Fragments>>
  : Type

type SelectAll<Type, Selections extends readonly unknown[], Fragments, Result = unknown> = Selections extends readonly [
  infer First,
  ...infer Others,
]
  ? SelectAll<Type, Others, Fragments, Result & SelectOne<Type, First, Fragments>>
  : Result

type SelectOne<Type, Selected, Fragments> = Selected extends Field
  ? PartialIf<
      Selected['optional'],
      Record<Selected['key'], Select<FieldType<Type, Selected['name']>, Selected['selections'], Fragments>>
    >
  : Selected extends Inline
    ? PartialIf<Selected['optional'], SelectAll<Type, Selected['selections'], Fragments>>
    : Selected extends Spread
      ? Selected['name'] extends keyof Fragments
        ? PartialIf<
            Selected['optional'],
            SelectAll<Type, Extract<Fragments[Selected['name']], readonly Selection[]>, Fragments>
          >
        : unknown
      : never

type FieldType<Type, Name> = Name extends '__typename' ? string : Name extends keyof Type ? Type[Name] : unknown

type PartialIf<Optional extends boolean, Type> = Optional extends true ? Partial<Type> : Type

type VariableTypes<Variables extends readonly Variable[]> = Flat<
  { [V in Variables[number] as IsRequired<V> extends true ? V['name'] : never]: VariableType<V['type']> } & {
    [V in Variables[number] as IsRequired<V> extends true ? never : V['name']]?: VariableType<V['type']> | undefined
  }
>

type IsRequired<V extends Variable> = V['hasDefault'] extends true
  ? false
  : V['type'] extends `${string}!`
    ? true
    : false

type VariableType<Reference extends string> = Reference extends `${infer Inner}!`
  ? TypeWithoutNull<Inner>
  : TypeWithoutNull<Reference> | null

/** The type of a variable of the type `Reference`, such as `[ID!]`, that is not null. Unknown types are `unknown`. */
type TypeWithoutNull<Reference extends string> = Reference extends `[${infer Item}]`
  ? ReadonlyArray<VariableType<Item>>
  : Reference extends keyof Inputs
    ? Inputs[Reference]
    : unknown

/** Because of `& unknown`, editors show the properties of the type instead of the name `Flat`. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents
type Flat<Type> = { [Key in keyof Type]: Type[Key] } & unknown
