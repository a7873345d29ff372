import type { Format } from '../format.ts'

/** The search over everything. */
export const search = ({ plural }: Format) => ({
  title: 'Search',
  placeholder: 'Search spaces, quests, members, pages and manual',
  close: 'Close',
  results: 'Results',
  pages: 'Pages',
  manual: 'Manual',
  members: 'Members',
  member: (space: string, points: string) => `${space} · ${points} points`,
  hint: 'Type a name, an address or an ID. Move with the arrow keys, open with Enter.',
  searching: 'Searching…',
  found: (count: number) => plural(count, { one: '# result', other: '# results' }),
})
