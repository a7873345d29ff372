import type { Account } from '../api/session.ts'
import type { ListedPerson } from '../api/people.ts'
import type { ManualSection, SearchResults } from '../api/search.ts'
import { groups, mayOpen, titleOf } from '../navigation/groups.ts'
import type { IconName } from '../shell/icon.tsx'
import { onDay } from '../shell/dates.ts'
import { number } from '../shell/numbers.ts'
import { content, explore, search as texts } from '../texts/index.ts'
import { people } from '../texts/operator-pages.ts'

/** One place that a user can go to. */
export interface Result {
  href: string
  title: string
  /** Distinguishes results with the same title. */
  detail?: string
  icon: IconName
  /** Whether another document shows it, which the browser loads. */
  elsewhere?: true
}

export interface ResultGroup {
  title: string
  results: Result[]
}

const MAX_PAGES = 6
const MAX_SECTIONS = 6
const MAX_EDITED = 6
export const MAX_PEOPLE = 6

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether each word of a search begins a word of the text. */
function matches(search: readonly string[], text: string): boolean {
  const words = wordsOf(text)
  return search.every((part) => words.some((word) => word.startsWith(part)))
}

/** The pages that an account may open, those with the words in their titles first; without a search, all. */
export function findPages(account: Account, text: string): Result[] {
  const search = wordsOf(text)
  const found = groups.flatMap((group) => {
    const inner = group.pages.filter((page) => page.icon && mayOpen(account, { page, group }))
    if (inner.length === 0) return []
    return [
      ...inner
        .map((page) => ({ ...page, title: titleOf(page, account) }))
        .map(({ path, title, icon = 'list', keywords = '' }) => ({
          result: { href: path, title, detail: group.title, icon },
          inTitle: matches(search, title),
          found: matches(search, `${title} ${keywords} ${group.title}`),
        })),
      ...(group.elsewhere ?? []).map(({ href, title, icon }) => ({
        result: { href, title, detail: group.title, icon, elsewhere: true as const },
        inTitle: matches(search, title),
        found: matches(search, `${title} ${group.title}`),
      })),
    ]
  })
  const chosen = found.filter((one) => one.found).toSorted((a, b) => Number(b.inTitle) - Number(a.inTitle))
  return chosen.slice(0, text === '' ? undefined : MAX_PAGES).map(({ result }) => result)
}

/** Pages and headings of the manual, pages first. */
export function findSections(sections: readonly ManualSection[], text: string): Result[] {
  const search = wordsOf(text)
  if (search.length === 0) return []
  return sections
    .filter(({ title, page = '' }) => matches(search, `${title} ${page}`))
    .toSorted((a, b) => Number(matches(search, b.title)) - Number(matches(search, a.title)))
    .slice(0, MAX_SECTIONS)
    .map(({ href, title, page }) => ({
      href,
      title,
      icon: 'book',
      elsewhere: true,
      ...(page !== undefined && { detail: page }),
    }))
}

/** Accounts, which only operators find. */
export const groupPeople = (found: readonly ListedPerson[]): ResultGroup => ({
  title: people.accounts,
  results: found.map(({ id, username, createdAt }) => ({
    href: `/operator/people/${id}`,
    title: username,
    detail: people.created(onDay(createdAt)),
    icon: 'user',
  })),
})

/** The pages on which the account may edit what was found. */
function groupEdited({ spaces, quests, credentials, starboards }: SearchResults): ResultGroup {
  const pagesOf = (path: string, kind: string, icon: IconName, list: SearchResults['spaces']): Result[] =>
    list
      .filter(({ editable }) => editable)
      .map(({ id, name }) => ({
        href: `/content/${path}/${encodeURIComponent(id)}`,
        title: name,
        detail: `${kind} · ${id}`,
        icon,
      }))
  const results = [
    ...pagesOf('spaces', content.space.one, 'space', spaces),
    ...pagesOf(
      'quests',
      content.quest.one,
      'flag',
      quests.filter(({ hidden }) => hidden === null),
    ),
    ...pagesOf('credentials', content.credential.one, 'badge', credentials),
    ...pagesOf('starboards', content.starboard.one, 'star', starboards),
  ]
  return { title: texts.edit, results: results.slice(0, MAX_EDITED) }
}

const hiddenTexts = { draft: explore.quest.statuses.Draft ?? '', private: content.quest.isPrivate }

export function groupResults(found: SearchResults): ResultGroup[] {
  const { spaces, quests, members, credentials, starboards } = found
  const objects = (kind: 'spaces' | 'credentials' | 'starboards', icon: IconName, list: SearchResults['spaces']) => ({
    title: explore.kinds[kind],
    results: list.map(({ id, name }) => ({ href: `/explore/${kind}/${id}`, title: name, detail: id, icon })),
  })
  return [
    objects('spaces', 'space', spaces),
    {
      title: explore.kinds.quests,
      results: quests.map(({ id, name, spaceName, hidden }) => ({
        href: `${hidden ? '/content' : '/explore'}/quests/${id}`,
        title: name,
        detail: [
          ...(hidden ? [hiddenTexts[hidden]] : []),
          spaceName,
          // Quests of one space can have the same name.
          ...(quests.some((other) => other.id !== id && other.name === name) ? [id] : []),
        ].join(' · '),
        icon: 'flag' as const,
      })),
    },
    {
      title: texts.members,
      results: members.map(({ spaceId, spaceName, address, username, points }) => ({
        href: `/explore/spaces/${spaceId}?member=${encodeURIComponent(address)}`,
        title: username,
        detail: texts.member(spaceName, number(points)),
        icon: 'user' as const,
      })),
    },
    objects('credentials', 'badge', credentials),
    objects('starboards', 'star', starboards),
    groupEdited(found),
  ]
}
