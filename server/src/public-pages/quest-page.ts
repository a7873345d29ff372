import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { about, list, type ServiceQuery, type Shown } from './parts.ts'
import { logoOnCard, spaceLogo } from './space-logo.ts'
import type { PublishedSpace } from './space-pages.queries.ts'

interface Answer {
  quest: {
    name: string
    status: string
    description: string
    startTime: number | null
    endTime: number | null
    cap: number
    participantsCount: number
    loyaltyPoints: number
    space: { id: string; name: string }
    credentialGroups: {
      name: string
      conditionRelation: 'ALL' | 'ANY'
      conditions: { expression: string }[]
      rewards: { expression: string; rewardType: string }[]
    }[]
  }
}

const QUERY = `query CommunityQuest($id: ID!) {
  quest(id: $id) {
    name status description startTime endTime cap participantsCount loyaltyPoints
    space { id name }
    credentialGroups(address: "") { name conditionRelation conditions { expression } rewards { expression rewardType } }
  }
}`

export const readQuest = async (ask: ServiceQuery, id: string): Promise<Answer['quest']> =>
  ((await ask(QUERY, { id })) as Answer).quest

export function questPage(t: PageTexts, id: string, quest: Answer['quest'], space: PublishedSpace): Shown {
  const texts = t.questPage
  const statuses: Record<string, string> = texts.statuses
  const { name, status, description, startTime, endTime, cap, participantsCount, loyaltyPoints } = quest
  const facts: [string, string | Html][] = [
    // Members who have completed the quest see this instead.
    [texts.status, html`<span data-quest="${id}">${statuses[status] ?? status}</span>`],
    [texts.participants, cap > 0 ? t.of(participantsCount, cap) : t.number(participantsCount)],
  ]
  if (startTime !== null) facts.push([texts.starts, t.date(startTime)])
  if (endTime !== null) facts.push([texts.ends, t.date(endTime)])
  if (loyaltyPoints > 0) facts.push([t.points, t.number(loyaltyPoints)])
  return {
    title: name,
    description: description.slice(0, 200) || texts.description(space.name),
    card: {
      names: [name, t.quest],
      ...logoOnCard(space),
      about: [space.name, space.slug],
      note: t.quest,
      panels: [
        { label: texts.status, value: statuses[status] ?? status },
        ...(loyaltyPoints > 0 ? [{ label: t.points, value: t.number(loyaltyPoints) }] : []),
        { label: cap > 0 ? texts.participantsOf(cap) : texts.participants, value: t.number(participantsCount) },
      ],
    },
    body: html`<main id="main" class="community" data-completed="${t.completed}">
      <p>
        <a class="space-link" href="/s/${space.slug}">${spaceLogo(space, 28)}${space.name}</a>
      </p>
      <h1>${name}</h1>
      ${about(description)}
      <dl class="facts">
        ${facts.map(
          ([term, value]) =>
            html`<div>
              <dt>${term}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>
      ${
        status === 'Active'
          ? html`<p>
              <a
                class="button"
                data-quest="${id}"
                data-completed="${texts.yourCompletion}"
                href="/explore/quests/${encodeURIComponent(id)}"
                >${texts.complete}</a
              >
            </p>`
          : undefined
      }
      ${
        quest.credentialGroups.length > 0
          ? html`<h2>${texts.needed}</h2>
              ${quest.credentialGroups.map((one) => group(texts, one))}`
          : undefined
      }
    </main>`,
  }
}

function group(
  texts: PageTexts['questPage'],
  { name, conditionRelation, conditions, rewards }: Answer['quest']['credentialGroups'][number],
): Html {
  const all = conditionRelation === 'ALL' ? texts.all : texts.any
  const types: Record<string, string> = texts.rewardTypes
  return html`<section class="group">
    ${name === '' ? undefined : html`<h3>${name}</h3>`}
    ${conditions.length > 1 ? html`<p class="quiet">${all}</p>` : undefined}
    ${
      conditions.length > 0
        ? list(
            'plain',
            conditions.map(({ expression }) => html`${expression}`),
          )
        : html`<p>${texts.noCondition}</p>`
    }
    ${
      rewards.length > 0
        ? html`<p class="quiet">${texts.rewards}</p>
            ${list(
              'plain',
              rewards.map(({ expression, rewardType }) => html`${expression || (types[rewardType] ?? rewardType)}`),
            )}`
        : undefined
    }
  </section>`
}
