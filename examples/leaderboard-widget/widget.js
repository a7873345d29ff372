const REFRESH_MS = 60_000
const PLACES = 10

const QUERY = `query Leaderboard($spaceId: Int!) {
  space(id: $spaceId) { name loyaltyPointsRanks { totalCount list { rank points address { username } } } }
}`

const STYLE = `
  table { border-collapse: collapse; font: inherit; min-width: 18rem; }
  caption { text-align: start; padding: 0.25rem 0; }
  th, td { padding: 0.25rem 0.75rem; text-align: start; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  .number { text-align: end; font-variant-numeric: tabular-nums; }
`

/**
 * A table of the best, kept up to date. With `src` it reads from a server of the site; with `service`, `token` (a
 * publishable token) and `space` it reads from Questboard.
 */
class QuestboardLeaderboard extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' })
    void this.refresh()
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS)
  }

  disconnectedCallback() {
    clearInterval(this.timer)
  }

  async refresh() {
    try {
      const src = this.getAttribute('src')
      this.show(table(src === null ? await this.readBoard() : /** @type {Board} */ (await read(src))))
    } catch {
      // What is shown already stays: an old table is better than none.
      if (!this.shadowRoot?.querySelector('table'))
        this.show(element('p', 'The leaderboard is not available right now.'))
    }
  }

  /** The token is in the URL, so that browsers and caches hold the response. @returns {Promise<Board>} */
  async readBoard() {
    const parameters = new URLSearchParams({
      access_token: this.getAttribute('token') ?? '',
      query: QUERY,
      variables: JSON.stringify({ spaceId: Number(this.getAttribute('space')) }),
    })
    const { data } = await read(`${this.getAttribute('service')}/query?${parameters}`)
    const { name, loyaltyPointsRanks } = data.space
    const { totalCount, list } = loyaltyPointsRanks
    const places = list
      .slice(0, PLACES)
      .map((/** @type {Rank} */ { rank, points, address }) => ({ rank, points, name: address?.username }))
    return { name, totalCount, places }
  }

  /** @param {HTMLElement} content */
  show(content) {
    this.shadowRoot?.replaceChildren(element('style', STYLE), content)
  }
}

/** @param {string} url */
async function read(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.json()
}

/** @typedef {{ rank: number, points: number, address?: { username: string } }} Rank */
/** @typedef {{ name: string, totalCount: number, places: { rank: number, points: number, name?: string }[] }} Board */

/** @param {Board} board */
function table({ name, totalCount, places }) {
  const whole = element('table')
  whole.append(element('caption', `${name}: the first ${places.length} of ${totalCount.toLocaleString()}`))
  whole.append(row('th', ['Place', 'Member', 'Points']))
  for (const { rank, name, points } of places)
    whole.append(row('td', [String(rank), name ?? '', points.toLocaleString()]))
  return whole
}

/** @param {'th' | 'td'} tag @param {string[]} texts */
function row(tag, texts) {
  const cells = texts.map((text, column) => {
    const cell = element(tag, text)
    if (tag === 'th') cell.setAttribute('scope', 'col')
    if (column !== 1) cell.className = 'number'
    return cell
  })
  const whole = element('tr')
  whole.append(...cells)
  return whole
}

/** Names are people's own text: they are set as text, never as HTML. @param {string} tag @param {string} text */
function element(tag, text = '') {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

customElements.define('questboard-leaderboard', QuestboardLeaderboard)
