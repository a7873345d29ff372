import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { list } from './parts.ts'

/** The fields of a quest that a card needs. */
export const CARD_FIELDS = 'id name status loyaltyPoints startTime endTime'

export interface QuestCard {
  id: string
  name: string
  status: string
  loyaltyPoints: number
  startTime: number | null
  endTime: number | null
}

export interface OpenQuests {
  totalCount: number
  list: QuestCard[]
}

interface ListOptions {
  /** The text of an empty list. */
  none?: string | undefined
  /** A link to the other quests of the space. */
  more?: Html | undefined
}

/** The first active quests, with links to their pages. */
export function questList(
  t: PageTexts,
  { list: quests, totalCount }: OpenQuests,
  { none = t.questList.none, more }: ListOptions = {},
): Html {
  const open =
    totalCount === 0
      ? html`<p class="empty">${none}</p>`
      : quests.length === 0
        ? html`<p class="empty">${t.questList.open(totalCount)}</p>`
        : questCards(t, quests)
  return html`${open}${more && html`<p>${more}</p>`}`
}

export const questCards = (t: PageTexts, quests: readonly QuestCard[]): Html =>
  list(
    'cards',
    quests.map(
      ({ id, name, loyaltyPoints, ...state }) =>
        html`<a href="/q/${id}">${name}</a
          ><span class="quiet"
            ><span data-quest="${id}">${stateOf(t, state)}</span>${
              loyaltyPoints > 0 ? html` <span>${t.pointsCount(loyaltyPoints)}</span>` : undefined
            }</span
          >`,
    ),
  )

function stateOf(
  { questList: texts, questPage: { statuses }, date }: PageTexts,
  { status, startTime, endTime }: Pick<QuestCard, 'status' | 'startTime' | 'endTime'>,
): string {
  switch (status) {
    case 'Active':
      return endTime === null ? texts.isOpen : texts.openUntil(date(endTime))
    case 'NotStarted':
      return startTime === null ? texts.soon : texts.startsOn(date(startTime))
    case 'Expired':
      return endTime === null ? statuses.Expired : texts.endedOn(date(endTime))
    default:
      return statuses.CapReached
  }
}
