const PLACES = 10
const RETRY_MS = 15_000

const STYLE = `
  table { border-collapse: collapse; font: inherit; min-width: 18rem; }
  caption { text-align: start; padding: 0.25rem 0; }
  th, td { padding: 0.25rem 0.75rem; text-align: start; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  .number { text-align: end; font-variant-numeric: tabular-nums; }
`

/** <questboard-leaderboard service="…" token="…" space="…">: the first members of a space, as they change. */
class QuestboardLeaderboard extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' })
    this.follow()
  }

  disconnectedCallback() {
    clearTimeout(this.retry)
    this.stream?.close()
  }

  follow() {
    const query = new URLSearchParams({ first: String(PLACES), access_token: this.getAttribute('token') ?? '' })
    const url = `${this.getAttribute('service')}/live/spaces/${this.getAttribute('space')}?${query}`
    const stream = (this.stream = new EventSource(url))
    /** @type {Place[]} */
    let list = []
    stream.addEventListener('board', (/** @type {MessageEvent<string>} */ { data }) => {
      const board = /** @type {{ totalCount: number, list: Place[] }} */ (parse(data))
      list = board.list
      this.show(table(list, board.totalCount))
    })
    stream.addEventListener('changes', (/** @type {MessageEvent<string>} */ { data }) => {
      const { totalCount, size, changed } = /** @type {Changes} */ (parse(data))
      for (const place of changed) list[place.position - 1] = place
      list.length = size
      this.show(table(list, totalCount))
    })
    stream.addEventListener('error', () => {
      if (!this.shadowRoot?.querySelector('table'))
        this.show(element('p', 'The leaderboard is not available right now.'))
      // After a lost connection, the browser connects again by itself. After an error response, it does not.
      if (stream.readyState === EventSource.CLOSED) this.retry = setTimeout(() => this.follow(), RETRY_MS)
    })
  }

  /** @param {HTMLElement} content */
  show(content) {
    this.shadowRoot?.replaceChildren(element('style', STYLE), content)
  }
}

/** @typedef {{ position: number, rank: number, points: number, address?: { username?: string } }} Place */
/** @typedef {{ totalCount: number, size: number, changed: Place[] }} Changes */

/** @param {string} data @returns {unknown} */
const parse = (data) => JSON.parse(data)

/** @param {Place[]} list @param {number} totalCount */
function table(list, totalCount) {
  const whole = element('table')
  whole.append(element('caption', `The first ${list.length} of ${totalCount.toLocaleString()}`))
  whole.append(row('th', ['Rank', 'Member', 'Points']))
  for (const { rank, points, address } of list)
    whole.append(row('td', [String(rank), address?.username ?? '', points.toLocaleString()]))
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
