import type { Format } from '../format.ts'

/** The list of holders of a credential. */
export const holders = ({ number, plural }: Format) => ({
  give: 'List of holders',
  change: 'Change the list of holders',
  giveLead: 'Paste the holders or choose a file. Nothing is stored until you have seen what changes.',
  giveNew: 'Paste the holders or choose a file. You can also do this later.',
  text: 'Holders',
  textHelp: 'One on each line, or CSV with the column “address”. Other columns are ignored.',
  choose: 'Choose a file',
  chosen: (name: string) => `File: ${name}`,
  drop: 'Remove file',
  unreadable: 'The browser could not read this file. Choose it again.',
  tooLarge: 'At most 4 MiB, about 90,000 addresses. For more, use the ingest API.',
  manual: 'More about lists of holders',
  mode: 'With these holders',
  modes: { add: 'Add them to the list', remove: 'Remove them from the list', replace: 'Replace the whole list' },
  check: 'Check',
  results: {
    added: (count: number) => `${number(count)} new`,
    removed: (count: number) => plural(count, { one: '# is removed', other: '# are removed' }),
    unchanged: (count: number) => `${number(count)} unchanged`,
    refused: (count: number) => `${number(count)} refused`,
  },
  correct: 'Correct the refused lines. All lines are stored, or none.',
  noChange: 'These holders change nothing.',
  actions: {
    add: (added: number) => plural(added, { one: 'Add # holder', other: 'Add # holders' }),
    remove: (removed: number) => plural(removed, { one: 'Remove # holder', other: 'Remove # holders' }),
    replace: 'Replace the list',
  },
  removeQuestion: (count: number) =>
    plural(count, {
      one: '# holder is removed from the list and no longer meets conditions with this credential.',
      other: '# holders are removed from the list and no longer meet conditions with this credential.',
    }),
  stored: (lines: number) =>
    plural(lines, { one: 'The list is changed: # line', other: 'The list is changed: # lines' }),
  line: 'Line',
  problem: 'Problem',
  noColumn: 'The first line names no column “address”.',
  firstProblems: (shown: number) => `The first ${number(shown)}:`,

  title: 'Holders',
  lead: 'The present list, in the order of the addresses.',
  search: 'Find holders',
  searchHelp: 'The beginning of an address or handle. Solana addresses distinguish upper and lower case.',
  address: 'Address or handle',
  name: 'Name',
  notFound: 'No holder begins with this text',
  more: 'Show more',
})
