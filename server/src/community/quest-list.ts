import { html, type Html } from '../text/html.ts'
import { countOf, list, longDate, points } from './parts.ts'

export interface OpenQuests {
  totalCount: number
  list: { id: string; name: string; status: string; loyaltyPoints: number; endTime: number | null }[]
}

/** Quests with links to their pages. */
export function questList({ list: quests, totalCount }: OpenQuests, none = 'No quests are open now.'): Html {
  if (totalCount === 0) return html`<p class="empty">${none}</p>`
  if (quests.length === 0) return html`<p class="empty">${countOf(totalCount, 'quest is', 'quests are')} open.</p>`
  return html`${list(
    'cards',
    quests.map(
      ({ id, name, status, loyaltyPoints, endTime }) =>
        html`<a href="/q/${id}">${name}</a
          ><span class="quiet"
            >${status === 'Active' ? (endTime === null ? 'Open' : `Open until ${longDate(endTime)}`) : 'Starts soon'}${loyaltyPoints > 0 ? ` · ${points(loyaltyPoints)} points` : ''}</span
          >`,
    ),
  )}${totalCount > quests.length ? html`<p class="quiet">and ${totalCount - quests.length} more</p>` : undefined}`
}
