import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { list } from './parts.ts'

export interface OpenQuests {
  totalCount: number
  list: {
    id: string
    name: string
    status: string
    loyaltyPoints: number
    startTime: number | null
    endTime: number | null
  }[]
}

/** On a phone, more cards would push the rest of the page out of sight. */
const UNFOLDED = 6

interface ListOptions {
  /** The text of an empty list. */
  none?: string | undefined
  /** The page with the quests that are not in the list. */
  morePage?: string
}

/** Quests with links to their pages; those after the first few are folded. */
export function questList(
  t: PageTexts,
  { list: quests, totalCount }: OpenQuests,
  { none = t.questList.none, morePage }: ListOptions = {},
): Html {
  if (totalCount === 0) return html`<p class="empty">${none}</p>`
  if (quests.length === 0) return html`<p class="empty">${t.questList.open(totalCount)}</p>`
  const cards = quests.map(
    ({ id, name, status, loyaltyPoints, startTime, endTime }) =>
      html`<a href="/q/${id}">${name}</a
        ><span class="quiet"
          ><span data-quest="${id}">${stateOf(t, status, startTime, endTime)}</span>${
            loyaltyPoints > 0 ? html` <span>${t.pointsCount(loyaltyPoints)}</span>` : undefined
          }</span
        >`,
  )
  const folded = cards.slice(UNFOLDED)
  const missing = totalCount - quests.length
  const more = t.questList.more(missing)
  return html`${list('cards', cards.slice(0, UNFOLDED))}${
    folded.length > 0
      ? html`<details class="more-quests">
          <summary>${t.questList.show(folded.length)}</summary>
          ${list('cards', folded)}
        </details>`
      : undefined
  }${
    missing > 0
      ? html`<p class="quiet">${morePage === undefined ? more : html`<a href="${morePage}">${more}</a>`}</p>`
      : undefined
  }`
}

function stateOf(
  { questList: texts, date }: PageTexts,
  status: string,
  startTime: number | null,
  endTime: number | null,
): string {
  if (status !== 'Active') return startTime === null ? texts.soon : texts.startsOn(date(startTime))
  return endTime === null ? texts.isOpen : texts.openUntil(date(endTime))
}
