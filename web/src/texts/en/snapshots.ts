import type { Format } from '../format.ts'

/** The snapshot pages of operators and of a space. */
export const snapshots = ({ number, plural }: Format) => ({
  title: 'Snapshots',
  lead: 'Sealed lists of members, holders or participants, with Merkle proofs for airdrops. A sealed list never changes.',
  add: 'New snapshot',
  addLead: 'Preview the list first, then create the snapshot. It never changes.',
  kind: 'List',
  kinds: { space: 'Leaderboard of a space', credential: 'Holders of a credential', quest: 'Participants of a quest' },
  objects: { space: 'Space', credential: 'Credential', quest: 'Quest' },
  sprint: 'Sprint',
  at: 'Time',
  atHelp: 'Leave empty for the current list. Past leaderboards are kept for 30 minutes.',
  public: 'Public',
  publicHelp: 'Anyone can read the proof of an address.',
  note: 'Note',
  noteHelp: 'Optional, such as what the list is for. It is as public as the snapshot.',
  preview: 'Preview',
  create: 'Create snapshot',
  previewOf: (name: string, time: string) => `${name}, as of ${time}`,
  meaning: {
    space: 'The snapshot has the points of this time, even if they change before it is sealed.',
    credential: 'The present holders. The snapshot has the holders at the time when it is sealed.',
    quest: 'The snapshot has the participants of this time, without those who join later.',
  },
  recordedTime: 'The last points that were recorded at or before the chosen time. The snapshot has the same time.',
  member: 'Member',
  firstOf: (shown: number, count: number) =>
    shown === count
      ? plural(count, { one: 'The only member', other: 'All # members' })
      : `The first ${number(shown)} of ${number(count)} members`,
  leftOutOf: (shown: number, count: number) =>
    shown === count
      ? plural(count, { one: 'Not in the Merkle tree: # member', other: 'Not in the Merkle tree: # members' })
      : `Not in the Merkle tree: the first ${number(shown)} of ${number(count)} members`,
  reasons: {
    no_evm_address: 'No EVM address: not in the Merkle tree',
    negative_points: 'Points below 0: not in the Merkle tree',
  },
  members: (count: number) => plural(count, { one: '# member', other: '# members' }),
  points: (digits: string) => plural(Number(digits), { one: '# point', other: '# points' }),
  leaves: (count: number) => `${number(count)} in the Merkle tree`,
  leftOut: (count: number) => `${number(count)} left out`,
  banned: (count: number) => `${number(count)} banned`,
  size: (megabytes: string) => `Up to ${megabytes} MB on disk`,
  all: 'All snapshots',
  none: 'No snapshots',
  noneText: 'Preview a list above, then create its snapshot.',
  created: (name: string) => `The snapshot of ${name} is being sealed`,
  removed: (name: string) => `The snapshot of ${name} was deleted`,
  states: { waiting: 'Sealing', sealed: 'Sealed', failed: 'Failed' },
  failures: {
    list_empty: 'The list is empty.',
    list_incomplete: 'The list was not complete yet.',
    not_found: 'The source of the list was deleted.',
    insufficient_storage: 'The disk of the database has too little space.',
    interrupted: 'Building it was interrupted several times.',
    internal_error: 'Internal error. The log of the service has the cause.',
  },
  isPublic: 'Public',
  isPrivate: 'Private',
  asOf: (time: string) => `As of ${time}`,
  ofSprint: (kind: string, sprintId: number) => `${kind}, sprint ${sprintId}`,
  download: 'Download:',
  downloadNamed: (name: string, format: string) => `Download ${name} as ${format}`,
  formats: { csv: 'CSV', ndjson: 'NDJSON', airdrop: 'Airdrop CSV', disperse: 'Disperse' },
  digest: 'Digest (SHA-256 of the CSV)',
  root: 'Merkle root',
  remove: 'Delete',
  removeNamed: (name: string) => `Delete the snapshot of ${name}`,
  removeQuestion: 'Delete this snapshot? Members can no longer get its proofs.',
  of: (space: string) => `Snapshots of ${space}`,
  ofLead:
    'Sealed lists of the leaderboard or of the participants of a quest, with Merkle proofs for airdrops. A sealed list never changes.',
  overall: 'All time',
  quest: 'Quest',
  noQuests: 'This space has no quests yet.',
})
