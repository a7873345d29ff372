/** The forms of a text by plural category, for example `one` and `other` in English. `#` is replaced by the number. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/**
 * The number format of a language. Catalogues get it as an argument, because their chunks in the app must not import
 * modules.
 */
export interface Format {
  number: (value: number) => string
  plural: (count: number, forms: PluralForms) => string
}

export function formatFor(locale: string): Format {
  const numbers = new Intl.NumberFormat(locale)
  const rules = new Intl.PluralRules(locale)
  const number = (value: number) => numbers.format(value)
  return {
    number,
    plural: (count, forms) => (forms[rules.select(count)] ?? forms.other).replaceAll('#', number(count)),
  }
}
