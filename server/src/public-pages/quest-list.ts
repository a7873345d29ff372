import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { list } from './parts.ts'

export interface OpenQuests {
  totalCount: number
  list: { id: string; name: string; status: string; loyaltyPoints: number; endTime: number | null }[]
}

/** Quests with links to their pages. */
export function questList(t: PageTexts, { list: quests, totalCount }: OpenQuests, none = t.questList.none): Html {
  if (totalCount === 0) return html`<p class="empty">${none}</p>`
  if (quests.length === 0) return html`<p class="empty">${t.questList.open(totalCount)}</p>`
  return html`${list(
    'cards',
    quests.map(
      ({ id, name, status, loyaltyPoints, endTime }) =>
        html`<a href="/q/${id}">${name}</a
          ><span class="quiet"
            ><span data-quest="${id}">${stateOf(t, status, endTime)}</span
            >${loyaltyPoints > 0 ? ` · ${t.pointsCount(loyaltyPoints)}` : ''}</span
          >`,
    ),
  )}${totalCount > quests.length ? html`<p class="quiet">${t.questList.more(totalCount - quests.length)}</p>` : undefined}`
}

function stateOf({ questList: texts, date }: PageTexts, status: string, endTime: number | null): string {
  if (status !== 'Active') return texts.soon
  return endTime === null ? texts.isOpen : texts.openUntil(date(endTime))
}
