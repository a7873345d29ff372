import type { Format } from '../format.ts'

/** The claim of a quest by the signed-in account. */
export const claim = ({ plural }: Format) => ({
  title: 'Complete this quest',
  lead: 'Questboard checks the conditions and adds the points at once.',
  address: 'Address that gets the points',
  pointsGoTo: (address: string) => `The points go to ${address}.`,
  go: 'Complete quest',
  again: 'Check again',
  completed: 'You have completed this quest',
  completedAt: (time: string, address: string) => `${time}, with ${address}`,
  gotPoints: (points: number) => plural(points, { one: 'You received # point.', other: 'You received # points.' }),
  linkWallet: 'Link a wallet',
  link: (kind: string) => `Link ${kind}`,
  open: 'Open',
  check: 'Check now',
  checkOf: (condition: string) => `Check now: ${condition}`,
  checkedNow: 'Checked now; still not met.',
  undecided: 'The source cannot decide this now. Check again later.',
  retryIn: (seconds: number) => plural(seconds, { one: 'Try again in # second.', other: 'Try again in # seconds.' }),
  /** By the code of an error of a check. */
  checkFailures: {
    identity_missing: 'Link an identity that counts for eligibility first.',
    not_checkable: 'This condition cannot be checked now.',
    source_unavailable: 'The source does not respond.',
    too_many_requests: 'There were too many checks.',
  } as Record<string, string>,
  allOf: (group: string) => (group === '' ? 'Still missing' : `Still missing: ${group}`),
  oneOf: (group: string) => (group === '' ? 'One of these is enough' : `One of these is enough: ${group}`),
  states: {
    met: 'met',
    'not-met': 'not met',
    syncing: 'the list is being updated; check again later',
    unavailable: 'the source does not respond; check again later',
  },
  /** By the reason of a refusal (docs/quests.md). */
  reasons: {
    QUEST_NOT_FOUND: 'This quest does not exist any more.',
    QUEST_NOT_ACTIVE: 'This quest is not open for participation.',
    NOT_STARTED: 'This quest has not started yet.',
    ENDED: 'This quest has ended.',
    CAP_REACHED: 'All places of this quest are taken.',
    BANNED: 'Your account or address is banned from this community.',
    ALREADY_CLAIMED: 'One of your addresses has already completed this quest.',
    CONDITION_NOT_MET: 'You do not meet all conditions yet.',
    LIST_SYNCING: 'A list that decides a condition is being updated. Check again later.',
    SOURCE_UNAVAILABLE: 'The source of a condition does not respond. Check again later.',
    NO_ADDRESS: 'This quest needs a wallet address of its chain. You have not linked one.',
    ADDRESS_NOT_LINKED: 'This address is not linked to your account any more.',
    POINTS_OUT_OF_RANGE: 'The address has reached the maximum number of points.',
  } as Record<string, string>,
})
