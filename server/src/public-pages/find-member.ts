import type { Kysely } from 'kysely'
import { canonicalMember, mayBePublic } from '../addresses/addresses.ts'
import { openName } from '../addresses/open-name.ts'
import { SHORT_ID } from '../addresses/short-id.ts'
import type { DB } from '../database/tables.ts'
import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { findMembers, findNames, findShortId, type FoundMember as FoundEntry } from '../search/search.queries.ts'
import { uploadedPicture } from '../settings/uploaded-picture.ts'
import { member, type ServiceQuery } from './parts.ts'

/** The maximum length of a search text, which is the maximum length of a name. */
const MAX_TEXT = 100
const MAX_FOUND = 20
/** The maximum number of names that are looked up. Some of these members may not be on the board. */
const MAX_NAMES = 1_000
/** The number of best members of the board that are all checked. Anyone can search, so this is less than on the operators' pages. */
const MAX_BEST = 10_000
/** The members with a beginning of an address that are read. Hidden addresses are removed afterwards. */
const MAX_BEGINNINGS = 1_000
/** Shorter prefixes match too many addresses. */
const MIN_ADDRESS_BEGINNING = 4

interface Board {
  spaceId: number
  sprintId: number | undefined
  site: { issuer: string }
}

interface FoundMember {
  address: string
  username: string
  picture: string | undefined
  rank: number
  points: number
}

/** The result of a search: the member with exactly this address, or all matches, ordered by rank. */
export type Finding = { exact: string } | { members: FoundMember[] }

const RANKS = `query CommunityFoundMembers($id: Int!, $addresses: [String!]!, $sprintId: Int) {
  space(id: $id) { addressesLoyaltyPoints(addresses: $addresses, sprintId: $sprintId) { rank points address } }
}`

interface Answer {
  space: { addressesLoyaltyPoints: ({ rank: number; points: number; address: string } | null)[] }
}

/**
 * Searches a board for an address, for a prefix of an address or of a name, or for a short ID. Addresses that pages hide are not searched;
 * their members are found only by a name that pages show.
 */
export async function findOnBoard(
  kysely: Kysely<DB>,
  ask: ServiceQuery,
  { spaceId, sprintId, site }: Board,
  text: string,
): Promise<Finding> {
  const ranked = async (addresses: readonly string[]) => {
    const { space } = (await ask(RANKS, { id: spaceId, addresses, sprintId: sprintId ?? null })) as Answer
    return space.addressesLoyaltyPoints.filter((one) => one !== null)
  }
  const address = canonicalMember(text)
  if (address !== undefined && mayBePublic(address) && (await ranked([address])).length > 0) return { exact: address }
  const byShortId = SHORT_ID.test(text) ? await findByShortId(kysely, { spaceId, sprintId }, text.toLowerCase()) : []
  // Others can choose the short ID as their name, and must not fill the list of results.
  const named = byShortId.length > 0 ? [] : await findNames(kysely, text, MAX_NAMES)
  const beginning = text.length >= MIN_ADDRESS_BEGINNING && !/\s/.test(text)
  const board = { limit: MAX_FOUND, sprintId }
  // Apart, because hidden addresses with the beginning must not take the places of members found by name.
  const found = [
    ...(await findMembers(kysely, spaceId, {
      ...board,
      addresses: [...named.filter(isFoundByName).map((one) => one.address), ...byShortId],
      beginnings: [],
      best: named.length > 0 ? { count: MAX_BEST, name: text } : undefined,
    })),
    ...(beginning
      ? await findMembers(kysely, spaceId, {
          ...board,
          addresses: [],
          beginnings: [...new Set([text, text.toLowerCase()])],
          best: { count: MAX_BEST },
          limit: MAX_BEGINNINGS,
        })
      : []),
  ]
  const names = new Map(found.map((one) => [one.address, one]))
  const shown = [...names.values()]
    .filter((one) => mayBePublic(one.address) || startsWith(openName(one), text))
    .toSorted(byRank)
    .slice(0, MAX_FOUND)
    .map((one) => one.address)
  const onBoard = shown.length === 0 ? [] : await ranked(shown)
  return {
    members: onBoard
      .map((one) => {
        const named = names.get(one.address)
        return { ...one, username: named?.username ?? '', picture: uploadedPicture(named?.avatar ?? '', site) }
      })
      .toSorted((a, b) => a.rank - b.rank),
  }
}

/** The short ID of a hidden address must change no result, because anyone who knows the address can compute it. */
async function findByShortId(kysely: Kysely<DB>, board: Omit<Board, 'site'>, shortId: string): Promise<string[]> {
  const { addresses } = await findShortId(kysely, board, shortId, MAX_BEST)
  return addresses.filter((address) => isFoundByName({ address, username: shortId }))
}

const isFoundByName = (one: { address: string; username: string }) => mayBePublic(one.address) || openName(one) !== ''

const byRank = (a: FoundEntry, b: FoundEntry) => b.points - a.points || (a.address < b.address ? -1 : 1)

const startsWith = (name: string, text: string) => name.toLowerCase().startsWith(text.toLowerCase())

/** Returns the search text; undefined if it is missing or invalid. */
export function readFind(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.includes('\0')) return undefined
  return value.trim().slice(0, MAX_TEXT) || undefined
}

/** The search field of a board. */
export const findForm = ({ find }: PageTexts, slug: string, sprintId: number | undefined, text = ''): Html =>
  html`<form class="find" method="get" action="/s/${slug}#found" role="search">
    ${sprintId === undefined ? undefined : html`<input type="hidden" name="sprint" value="${sprintId}" />`}
    <label for="find">${find.label}</label>
    <input
      id="find"
      name="find"
      type="search"
      maxlength="${MAX_TEXT}"
      placeholder="${find.placeholder}"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      value="${text}"
      required
    />
    <button>${find.find}</button>
    <a href="/s/${slug}/me">${find.me}</a>
  </form>`

/** The members that a search found, with links to the places on the board. */
export function foundMembers(
  t: PageTexts,
  members: readonly FoundMember[],
  text: string,
  placeOf: (address: string) => string,
): Html {
  if (members.length === 0) return html`<p class="empty" id="found">${t.find.none(text)}</p>`
  return html`<table id="found">
      <caption class="hidden">
        ${t.find.caption(text)}
      </caption>
      <thead>
        <tr>
          <th scope="col">${t.rank}</th>
          <th scope="col">${t.member}</th>
          <th scope="col" class="number">${t.points}</th>
        </tr>
      </thead>
      <tbody>
        ${members.map(
          (one) =>
            html`<tr>
              <td>${t.number(one.rank)}</td>
              <th scope="row">
                ${
                  // An address that pages hide must not be in a link.
                  mayBePublic(one.address)
                    ? html`<a class="member" href="${placeOf(one.address)}">${member(one, 28)}</a>`
                    : member(one, 28)
                }
              </th>
              <td class="number">${t.number(one.points)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${members.length < MAX_FOUND ? undefined : html`<p class="quiet">${t.find.first(MAX_FOUND)}</p>`}`
}
