import { useQuery } from '@tanstack/react-query'
import { credentialQuery, questsQuery } from '../api/content.ts'
import type { Rule } from '../api/rules.ts'
import { atTime } from '../shell/dates.ts'
import { locale, rules as t } from '../texts/index.ts'

/** A rule in one sentence. */
export function Summary({ spaceId, rule }: { spaceId: number; rule: Rule }) {
  const quests = useQuery({ ...questsQuery(spaceId), enabled: rule.quests !== undefined }).data?.items ?? []
  const list = rule.kind === 'holder' || rule.kind === 'log' ? rule.credential : rule.holdersOf
  const credential = useQuery({ ...credentialQuery(list ?? ''), enabled: Boolean(list), retry: false }).data
  const questNames = (rule.quests ?? []).map((id) => quests.find((quest) => quest.id === id)?.name ?? id)
  const gives = givesOf(rule, ofQuests(questNames), credential?.name ?? list ?? '')
  if (gives === undefined) return t.incomplete
  const { from, until, cap, sprint = true } = rule
  return [
    gives,
    t.period(momentOf(from), momentOf(until)),
    cap?.points === undefined ? '' : t.atMost(cap.points, cap.per),
    sprint ? '' : t.notInSprint,
  ].join('')
}

const MAX_NAMED = 2
const alternatives = new Intl.ListFormat(locale, { type: 'disjunction' })

function ofQuests(names: readonly string[]): string {
  if (names.length === 0) return ''
  return names.length > MAX_NAMED ? t.ofManyQuests(names.length) : t.ofQuests(alternatives.format(names))
}

const momentOf = (moment: string | undefined) =>
  moment === undefined || Number.isNaN(Date.parse(moment)) ? undefined : atTime(moment)

/** @returns undefined while a setting is missing */
function givesOf(rule: Rule, quests: string, list: string): string | undefined {
  const { kind, points, on, minPoints, factor, days, from, until } = rule
  switch (kind) {
    case 'claim':
      return points === undefined ? undefined : t.summaries.claim(points, quests)
    case 'award':
      return points === undefined ? undefined : t.summaries.award(points, minPoints)
    case 'holder':
      return points === undefined || list === '' ? undefined : t.summaries.holder(points, list, rule.existing === true)
    case 'log':
      return points === undefined || list === '' ? undefined : t.summaries.log(points, list, rule.minAmount)
    case 'daily':
      if (points === undefined) return undefined
      if (rule.holdersOf !== undefined) return list === '' ? undefined : t.summaries.dailyHolders(points, list)
      return minPoints === undefined ? undefined : t.summaries.dailyMembers(points, minPoints)
    case 'multiplier':
      return factor === undefined || on === undefined || from === undefined || until === undefined
        ? undefined
        : t.summaries.multiplier(factor, on, quests)
    case 'streak':
      return points === undefined || days === undefined || on === undefined
        ? undefined
        : t.summaries.streak(points, days, on, quests, rule.repeat !== false)
    case 'referral': {
      const percent = rule.percent ?? 0
      return (points ?? 0) + percent === 0
        ? undefined
        : t.summaries.referral(points ?? 0, percent, rule.claims === 'all', quests)
    }
    default:
      return undefined // a kind that only the JSON has
  }
}
