import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import type { ServiceQuery, Shown } from './parts.ts'
import { CARD_FIELDS, type QuestCard, questCards } from './quest-list.ts'
import { logoOnCard, spaceLogo } from './space-logo.ts'
import type { PublishedSpace } from './space-pages.queries.ts'

/** The statuses of each state by which the page filters. */
const STATES = { open: ['Active'], upcoming: ['NotStarted'], ended: ['Expired', 'CapReached'] } as const
export type QuestState = keyof typeof STATES
const states = Object.keys(STATES) as QuestState[]

const PAGE = 24

interface Answer extends Record<QuestState, { totalCount: number }> {
  quests: {
    pageInfo: { hasNextPage: boolean; endCursor: string }
    list: QuestCard[]
  }
}

const count = (state: QuestState) =>
  `${state}: quests(input: { spaceId: $id, statuses: [${STATES[state].join(', ')}], first: 1 }) { totalCount }`

const QUERY = `query CommunityAllQuests($id: ID!, $statuses: [QuestStatus!], $after: String) {
  quests(input: { spaceId: $id, statuses: $statuses, order: OPEN_FIRST, first: ${PAGE}, after: $after }) {
    pageInfo { hasNextPage endCursor }
    list { ${CARD_FIELDS} }
  }
  ${states.map(count).join('\n  ')}
}`

interface QuestsView {
  space: PublishedSpace
  /** Undefined for quests of every state. */
  state: QuestState | undefined
  after: string | undefined
}

/** All public quests of a space: active ones, then those that start later, then the others. */
export async function questsPage(t: PageTexts, ask: ServiceQuery, view: QuestsView): Promise<Shown> {
  const { space, state, after } = view
  const statuses = state === undefined ? [] : STATES[state]
  const { quests, ...counts } = (await ask(QUERY, {
    id: String(space.spaceId),
    statuses,
    after: after ?? null,
  })) as Answer
  const texts = t.questsPage
  const all = states.reduce((sum, one) => sum + counts[one].totalCount, 0)
  return {
    title: texts.title(space.name),
    description: texts.description(all, space.name),
    card: {
      names: [space.name, space.slug],
      ...logoOnCard(space),
      about: [t.quests],
      note: texts.count(all),
      panels: states.map((one) => ({ label: texts.states[one], value: t.number(counts[one].totalCount) })),
    },
    body: html`<main id="main" class="community" data-completed="${t.completed}">
      <p>
        <a class="space-link" href="/s/${space.slug}">${spaceLogo(space, 28)}${space.name}</a>
      </p>
      <h1>${t.quests}</h1>
      ${tabs(t, view, { all, ...counts })}
      ${quests.list.length === 0 ? html`<p class="empty">${texts.none}</p>` : questCards(t, quests.list)}
      ${
        quests.pageInfo.hasNextPage
          ? html`<p>
              <a rel="next" href="${questsPath(space.slug, { state, after: quests.pageInfo.endCursor })}"
                >${texts.next}</a
              >
            </p>`
          : undefined
      }
    </main>`,
  }
}

function tabs(t: PageTexts, view: QuestsView, { all, ...counts }: Omit<Answer, 'quests'> & { all: number }): Html {
  const texts = t.questsPage
  const tab = (state: QuestState | undefined, name: string, total: number) =>
    html`<a
      href="${questsPath(view.space.slug, { state })}"
      ${view.state === state ? html` aria-current="page"` : undefined}
      >${name} <span class="quiet">${t.number(total)}</span></a
    >`
  return html`<nav class="tabs" aria-label="${texts.state}">
    ${tab(undefined, texts.all, all)}
    ${states.map((state) => tab(state, texts.states[state], counts[state].totalCount))}
  </nav>`
}

/** The URL of the page with all quests of a space. */
export function questsPath(slug: string, { state, after }: Partial<Pick<QuestsView, 'state' | 'after'>> = {}): string {
  const query = new URLSearchParams()
  if (state !== undefined) query.set('state', state)
  if (after !== undefined) query.set('after', after)
  const text = query.toString()
  return `/s/${slug}/quests${text === '' ? '' : `?${text}`}`
}

export const readQuestState = (value: unknown): QuestState | undefined => states.find((known) => known === value)
