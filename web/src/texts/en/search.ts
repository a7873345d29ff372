import type { Format } from '../format.ts'

export const search = ({ plural }: Format) => ({
  title: 'Search',
  placeholder: 'Search spaces, quests, members, pages and the manual',
  close: 'Close',
  results: 'Results',
  pages: 'Pages',
  manual: 'Manual',
  members: 'Members',
  edit: 'Edit',
  member: (space: string, points: string) => `${space} · ${points} points`,
  hint: 'Type a name, an address or an ID. Move with the arrow keys, open with Enter.',
  searching: 'Searching…',
  found: (count: number) =>
    count === 0
      ? 'Nothing found. Check the spelling, or search for an ID.'
      : plural(count, { one: '# result', other: '# results' }),
})
