import { html, type Html } from '../text/html.ts'
import { list, longDate, type OwnQuery, points, type Shown } from './parts.ts'
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
      rewards: { expression: string }[]
    }[]
  }
}

const QUERY = `query CommunityQuest($id: ID!) {
  quest(id: $id) {
    name status description startTime endTime cap participantsCount loyaltyPoints
    space { id name }
    credentialGroups(address: "") { name conditionRelation conditions { expression } rewards { expression } }
  }
}`

const STATUSES: Record<string, string> = {
  Active: 'Open',
  NotStarted: 'Not started',
  Expired: 'Ended',
  CapReached: 'All places taken',
}

export const readQuest = async (ask: OwnQuery, id: string): Promise<Answer['quest']> =>
  ((await ask(QUERY, { id })) as Answer).quest

/** The public page of a quest. */
export function questPage(id: string, quest: Answer['quest'], space: PublishedSpace): Shown {
  const { name, status, description, startTime, endTime, cap, participantsCount, loyaltyPoints } = quest
  const facts: [string, string][] = [
    ['Status', STATUSES[status] ?? status],
    ['Participants', cap > 0 ? `${points(participantsCount)} of ${points(cap)}` : points(participantsCount)],
  ]
  if (startTime !== null) facts.push(['Starts', longDate(startTime)])
  if (endTime !== null) facts.push(['Ends', longDate(endTime)])
  if (loyaltyPoints > 0) facts.push(['Points', points(loyaltyPoints)])
  return {
    title: name,
    description: description.slice(0, 200) || `A quest of ${space.name}.`,
    card: {
      names: [name, 'Quest'],
      about: [space.name, space.slug],
      note: 'Quest',
      panels: [
        { label: 'Status', value: STATUSES[status] ?? status },
        ...(loyaltyPoints > 0 ? [{ label: 'Points', value: points(loyaltyPoints) }] : []),
        { label: cap > 0 ? `Participants of ${points(cap)}` : 'Participants', value: points(participantsCount) },
      ],
    },
    body: html`<main id="main" class="community">
      <p><a href="/s/${space.slug}">${space.name}</a></p>
      <h1>${name}</h1>
      ${description === '' ? undefined : html`<p class="lead">${description}</p>`}
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
          ? html`<p><a class="button" href="/explore/quests/${encodeURIComponent(id)}">Complete this quest</a></p>`
          : undefined
      }
      ${
        quest.credentialGroups.length > 0
          ? html`<h2>What you need</h2>
              ${quest.credentialGroups.map(group)}`
          : undefined
      }
    </main>`,
  }
}

function group({ name, conditionRelation, conditions, rewards }: Answer['quest']['credentialGroups'][number]): Html {
  const all = conditionRelation === 'ALL' ? 'All of these:' : 'One of these:'
  const texts = (entries: { expression: string }[]) => entries.map(({ expression }) => html`${expression}`)
  return html`<section class="group">
    ${name === '' ? undefined : html`<h3>${name}</h3>`}
    ${conditions.length > 1 ? html`<p class="quiet">${all}</p>` : undefined}
    ${conditions.length > 0 ? list('plain', texts(conditions)) : html`<p>No condition: open to everyone.</p>`}
    ${
      rewards.length > 0
        ? html`<p class="quiet">Rewards</p>
            ${list('plain', texts(rewards))}`
        : undefined
    }
  </section>`
}
