import type { Format } from '../format.ts'

/** Fields that pick objects by name. */
export const picker = ({ number, plural }: Format) => ({
  placeholder: 'Search by name, or paste an ID',
  hint: 'Type part of the name.',
  searching: 'Searching…',
  nothing: 'Nothing found.',
  found: (count: number) => plural(count, { one: '# result', other: '# results' }),
  results: (label: string) => `Results for ${label}`,
  useId: (id: string) => `Use the ID ${id}`,
  remove: (name: string) => `Remove ${name}`,
  rest: (count: number) => `${number(count)} more`,
  unknown: 'Choose an entry from the list, or paste an ID.',
})
