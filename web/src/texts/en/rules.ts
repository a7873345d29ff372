import type { Format } from '../format.ts'

/** The page with the rules of a space that give points. */
export const rules = ({ number, plural }: Format) => {
  const points = (count: number) => plural(count, { one: '# point', other: '# points' })
  const events = { claim: 'claims', award: 'awards' }
  return {
    title: 'Rules',
    open: 'View rules',
    of: (space: string) => `Rules of ${space}`,
    lead: 'Rules give points by themselves: for claims, awards, holders and days.',

    inForce: 'Rules in force',
    edited: 'Edited rules',
    versionBy: (version: number, time: string, author: string) => `Version ${version}, published ${time} by ${author}`,
    byCommand: 'a command',
    deletedAccount: 'a deleted account',
    none: 'No rules yet',
    noneText: 'Add a rule, try it on past events, then publish it. It counts events from then on.',
    readOnly: 'Your role allows you to read the rules, but not to change them.',
    noneReadOnly: 'This space gives no points by rules.',
    noRules: 'This version has no rules.',
    add: 'Add rule',
    edit: 'Edit',
    editNamed: (id: string) => `Edit rule ${id}`,
    done: 'Close',
    remove: 'Remove',
    removeNamed: (id: string) => `Remove rule ${id}`,
    isNew: 'New',
    isChanged: 'Changed',
    incomplete: 'This rule is not complete.',
    forms: 'Forms',
    json: 'JSON',
    view: 'Edit as',
    jsonHelp: 'The document of bin/questboard rules. You can paste a file here.',
    jsonFault: (reason: string) => `This is not JSON: ${reason}`,
    jsonShape: 'Enter an object with a list "rules".',
    problems: (count: number) =>
      plural(count, { one: '# field must be corrected', other: '# fields must be corrected' }),

    kind: 'Gives points for',
    kinds: {
      claim: 'Claims',
      award: 'Awards',
      holder: 'New holders',
      daily: 'Each day',
      multiplier: 'A multiplier',
      streak: 'Streaks',
      referral: 'Referrals',
    },
    kindHelp: {
      claim: 'Each completion of a quest.',
      award: 'Each award of points by your systems, files and operators.',
      holder: 'Each address that is added to the list of a credential, once.',
      daily: 'Once each UTC day, to holders or members.',
      multiplier: 'The points of claims or awards again, in a window of time.',
      streak: 'Claims or awards on several UTC days in a row.',
      referral: 'Claims of members whom the member has referred.',
    },
    reasons: {
      claim: 'A quest is completed',
      award: 'An award',
      holder: 'A new holder',
      daily: 'A day',
      multiplier: 'Multiplied points',
      streak: 'Days in a row',
      referral: 'A referred member',
    },
    id: 'ID',
    idHelp: 'Names the rule in all versions. It cannot be changed later.',
    description: 'Reason',
    descriptionHelp: 'Members see this text in their history.',
    points: 'Points',
    quests: 'Quests',
    questsHelp: 'Empty: all quests of the space.',
    pickQuests: 'Choose quests',
    minPoints: 'Only awards of at least',
    existing: 'Also for holders who are already on the list',
    audience: 'For',
    audiences: { holders: 'Holders of a credential', members: 'Members of the board' },
    leastTotal: 'With at least so many points',
    on: 'Of',
    events: { claim: 'Claims', award: 'Awards' },
    factor: 'Factor',
    factorHelp: '2 gives the points once more.',
    days: 'Days in a row',
    repeat: 'Again after as many further days',
    claims: 'Claims that count',
    claimsOf: { first: 'The first claim of each referred member', all: 'All claims of referred members' },
    percent: 'Percent of the points of the claim',
    from: 'From',
    until: 'Until',
    cap: 'Limit for a member',
    noCap: 'No limit',
    caps: { day: 'A day', week: 'A week', month: 'A month', ever: 'In total' },
    capPoints: 'At most',
    sprint: 'Also count in the sprint of the time of the event',

    ofQuests: (names: string) => ` of ${names}`,
    ofManyQuests: (count: number) => ` of ${number(count)} quests`,
    summaries: {
      claim: (count: number, quests: string) => `${points(count)} for each claim${quests}`,
      award: (count: number, least: number | undefined) =>
        `${points(count)} for each award${least === undefined ? '' : ` of at least ${points(least)}`}`,
      holder: (count: number, list: string, existing: boolean) =>
        `${points(count)} once for each ${existing ? '' : 'new '}holder of ${list}`,
      dailyHolders: (count: number, list: string) => `${points(count)} each day for each holder of ${list}`,
      dailyMembers: (count: number, least: number) =>
        `${points(count)} each day for each member with at least ${points(least)}`,
      multiplier: (factor: number, on: 'claim' | 'award', quests: string) =>
        `${number(factor)} times the points of ${events[on]}${quests}`,
      streak: (count: number, days: number, on: 'claim' | 'award', quests: string, repeat: boolean) =>
        `${points(count)} for ${events[on]}${quests} on ${number(days)} days in a row${repeat ? '' : ', once a streak'}`,
      referral: (count: number, percent: number, all: boolean, quests: string) =>
        `${[...(count > 0 ? [points(count)] : []), ...(percent > 0 ? [`${number(percent)}% of the points`] : [])].join(' and ')} for ${all ? 'each claim' : 'the first claim'}${quests} of a referred member`,
    },
    period: (from: string | undefined, until: string | undefined) => {
      if (from !== undefined && until !== undefined) return `, from ${from} until ${until}`
      if (from !== undefined) return `, from ${from}`
      return until === undefined ? '' : `, until ${until}`
    },
    atMost: (count: number, per: 'day' | 'week' | 'month' | 'ever') =>
      `, at most ${points(count)} for a member ${{ day: 'a day', week: 'a week', month: 'a month', ever: 'in total' }[per]}`,
    notInSprint: ', only on the overall board',

    unpublished: (count: number) =>
      plural(count, { one: '# change is not published', other: '# changes are not published' }),
    added: (id: string) => `${id} is added`,
    removed: (id: string) => `${id} is removed`,
    changed: (id: string) => `${id} changes`,
    reordered: 'The order changes',
    discard: 'Discard',
    publish: 'Publish',
    publishTitle: (version: number) => `Publish version ${version}?`,
    publishText: 'Events from now on count by these rules. Points of the past stay, unless you replay the rules.',
    published: (version: number) => `Version ${version} is in force`,

    past: 'Past events',
    pastLead:
      'Compares the points that these rules would have given with those that the rules gave. Nothing is stored.',
    since: 'Events since',
    sinceAll: 'Empty: all events.',
    sinceFirst: 'Empty: since the first version of the rules.',
    compare: 'Compare',
    comparing: 'The past is being counted…',
    counted: (count: number, since: string) => `${plural(count, { one: '# event', other: '# events' })} since ${since}`,
    allCounted: (count: number) => plural(count, { one: '# event', other: '# events' }),
    same: 'No member would have other points',
    nowSame: 'All members have the points that these rules give',
    differ: (members: number) =>
      plural(members, { one: 'The points of # member differ', other: 'The points of # members differ' }),
    total: 'All members',
    member: 'Member',
    rule: 'Rule',
    before: 'Before',
    after: 'After',
    difference: 'Change',
    byRule: 'Points by rule',
    byMember: 'Points by member, largest difference first',
    moreMembers: (count: number) => plural(count, { one: '… and # more member', other: '… and # more members' }),
    notCounted: 'Points for new holders and for days are not counted again.',
    replay: (version: number) => `Replay version ${version}`,
    replayTitle: (version: number) => `Replay version ${version}?`,
    replayText: (members: number) =>
      `Reversals take points back, and new entries give missing points to ${plural(members, { one: '# member', other: '# members' })}. Awards and claims of the space wait until it ends.`,
    replayFirst: 'To give these points, publish the rules, and compare again.',
    replaying: 'The past is being counted again. Awards and claims of the space wait…',
    progress: 'Progress',
    replayed: (members: number) =>
      plural(members, {
        one: 'The points of # member were corrected',
        other: 'The points of # members were corrected',
      }),

    versions: 'Versions',
    versionsLead: 'Each publication is a version, and stays.',
    version: (version: number) => `Version ${version}`,
    current: 'In force',
    count: (count: number) => plural(count, { one: '# rule', other: '# rules' }),
    byAt: (time: string, author: string) => `${time} by ${author}`,
    show: 'Show',
    showNamed: (version: number) => `Show version ${version}`,
    hide: 'Hide',
    hideNamed: (version: number) => `Hide version ${version}`,
    restore: 'Go back',
    restoreNamed: (version: number) => `Go back to version ${version}`,
    restored: (version: number) => `The rules of version ${version} are in the editor. Publish them to use them.`,
  }
}
