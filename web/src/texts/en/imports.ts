import type { Format } from '../format.ts'

/** The pages under `/operator/import`. */
export const imports = ({ number, plural }: Format) => ({
  title: 'Import',
  one: 'Import of a file',
  lead: 'Import CSV or NDJSON files, optionally compressed with gzip. A file is checked first. You then decide whether it is stored.',
  upload: 'Upload a file',
  drop: 'Drop a file here, or',
  dropHere: 'Drop the file to select it',
  choose: 'Choose a file',
  file: 'File',
  limit: 'At most 1 GiB. For larger files, use “bin/questboard import”.',
  oneFile: 'Drop one file, not several.',
  kind: 'Content',
  kindHelp: 'Awards add to the points of members, or subtract from them. Points replace the points that members have.',
  byFields: 'Detect automatically',
  kinds: {
    spaces: 'Spaces',
    sprints: 'Sprints',
    points: 'Points',
    awards: 'Awards',
    starboards: 'Starboards',
    users: 'Users',
    samples: 'Samples',
    links: 'Links',
    credentials: 'Credentials',
    holders: 'Holders',
    quests: 'Quests',
    participants: 'Participants',
  } as Record<string, string>,
  template: (kind: string) => `Download a template: ${kind}`,
  templates: 'Templates',
  templatesLead: 'A CSV file for each kind, with all columns and an example.',
  credential: 'Credential',
  credentialHelp: 'For lines without a credential ID.',
  replace: 'Replace the existing holder list',
  start: 'Upload and check',
  stop: 'Stop',
  sending: (percent: string) => `Uploading: ${percent}`,
  stopped: 'Upload stopped. Nothing was kept.',

  history: 'History',
  historyLead:
    'Imports of all operators on this page. Files that the command “questboard import” stored are not listed; their data is on the pages of the spaces. Entries are deleted after 90 days.',
  none: 'No imports yet',
  more: 'Show more',
  unknown: 'Unknown content',
  uploadedBy: (name: string, at: string) => `${name} · ${at}`,
  deletedAccount: 'deleted account',
  states: {
    uploading: 'Uploading',
    checking: 'Checking',
    checked: 'Needs confirmation',
    storing: 'Storing',
    stored: 'Stored',
    refused: 'Refused',
    failed: 'Failed',
    cancelled: 'Cancelled',
    expired: 'Expired',
  },
  counts: (added: number, changed: number, same: number, removed: number | null) =>
    [
      `${number(added)} new`,
      `${number(changed)} changed`,
      `${number(same)} unchanged`,
      ...(removed === null ? [] : [`${number(removed)} removed`]),
    ].join(', '),

  facts: { kind: 'Content', size: 'Size', by: 'Uploaded by', at: 'Uploaded', applied: 'Confirmed by', ended: 'Ended' },
  wouldChange: 'What would change',
  changed: 'What changed',
  labels: { lines: 'Lines', added: 'New', changed: 'Changed', unchanged: 'Unchanged', removed: 'Removed' },
  nothingToDo: 'The file changes nothing.',
  checkedLead: 'Nothing is stored yet. Confirm within a day, or the import expires.',
  replaces: 'The lines replace the whole holder list.',
  setsPoints: 'Each line sets the points of a member. The number replaces the points that the member has.',
  addsPoints: 'Each line adds points to those of a member, or subtracts them.',
  inSpaces: 'Spaces:',
  moreSpaces: (count: number) => `and ${number(count)} more`,
  takenBack: (count: number) =>
    plural(count, {
      one: '# award was undone before, and stays undone',
      other: '# awards were undone before, and stay undone',
    }),
  takenBackHelp:
    'Their keys stay used, so these lines change nothing. To award the points again, give the lines other keys.',
  banned: (count: number) =>
    plural(count, { one: '# award is for a banned member', other: '# awards are for banned members' }),
  bannedHelp: 'The points count when the ban ends.',
  newNames: (count: number) =>
    plural(count, {
      one: '# new member is not named by an address',
      other: '# new members are not named by an address',
    }),
  newNamesHelp: (examples: string) =>
    `A handle is correct here. A name from the leaderboard creates another member. First texts: ${examples}`,
  undo: {
    title: 'Undo the import',
    undone: 'Undone',
    lead: 'New entries take back all points of this file. Entries that were undone already stay as they are.',
    button: 'Undo the import',
    question: 'Take back all points of this file?',
    questionAwards:
      'Take back all points of this file? The keys of its awards stay used: to store a corrected file, give its lines other keys. Points that rules gave for these awards stay.',
    running: 'The entries are being undone. You can leave this page.',
    done: (name: string, at: string) => `Undone by ${name}, ${at}`,
    remaining:
      'Members whose points were all taken back stay on the leaderboard with 0 points. To remove one that came with a typing error, erase its address.',
    counts: { reversed: 'Undone', before: 'Undone before', refused: 'Cannot be undone' },
  },
  apply: 'Store',
  applyQuestion: (lines: number) =>
    plural(lines, {
      one: 'Store # line? All lines are stored, or none.',
      other: 'Store # lines? All lines are stored, or none.',
    }),
  removeQuestion: (removed: number) =>
    plural(removed, {
      one: 'Replace the holder list? # holder is removed.',
      other: 'Replace the holder list? # holders are removed.',
    }),
  cancel: 'Cancel the import',
  cancelled: 'The import was cancelled',
  confirmed: 'The file is being stored. You can leave this page.',
  preview: 'First rows',
  line: 'Line',
  unknownColumn: 'Not a field of this kind',

  working: 'The import continues if you leave this page.',
  progress: 'Import progress',
  waiting: 'Waiting to start',
  checking: {
    ledger: 'Checking the ledger entries',
    reading: (lines: number) => plural(lines, { one: 'Checking: # line read', other: 'Checking: # lines read' }),
    writing: (lines: number) => plural(lines, { one: 'Comparing # line', other: 'Comparing # lines' }),
    step: (done: number, total: number, step: string) => `Checking ${step}: ${number(done)} of ${number(total)}`,
    stepAtMost: (done: number, total: number, step: string) =>
      `Checking ${step}: ${number(done)} of up to ${number(total)}`,
  },
  storing: {
    ledger: 'Writing the ledger',
    reading: (lines: number) => plural(lines, { one: 'Storing: # line read', other: 'Storing: # lines read' }),
    writing: (lines: number) => plural(lines, { one: 'Storing # line', other: 'Storing # lines' }),
    step: (done: number, total: number, step: string) => `Storing ${step}: ${number(done)} of ${number(total)}`,
    stepAtMost: (done: number, total: number, step: string) =>
      `Storing ${step}: ${number(done)} of up to ${number(total)}`,
  },
  steps: { lines: 'lines', names: 'names', rows: 'leaderboard rows' } as Record<string, string>,
  publishing: 'Publishing the holder list',
  stored: (kind: string, lines: number) =>
    `${kind}: ${plural(lines, { one: '# line imported', other: '# lines imported' })}`,
  refused: 'Nothing was imported',
  problems: (count: number) => plural(count, { one: '# problem', other: '# problems' }),
  firstProblems: (shown: number) => `First ${number(shown)}:`,
  field: 'Field',
  reason: 'Problem',
  failed: 'Import failed',
  cancelledHelp: 'Nothing was imported.',
  expiredHelp: 'The import was not confirmed within a day. Nothing was imported.',
  another: 'Import another file',
})
