// The pages that the service writes use the same plural rules.
export { type Format, formatFor, type PluralForms } from '../../../server/src/texts/format.ts'
