const REFRESH_MS = 60_000

const STYLE = `
  table { border-collapse: collapse; font: inherit; min-width: 18rem; }
  caption { text-align: start; padding: 0.25rem 0; }
  th, td { padding: 0.25rem 0.75rem; text-align: start; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  .number { text-align: end; font-variant-numeric: tabular-nums; }
`

/** <questboard-leaderboard src="…">: a table of the best, kept up to date. */
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
      const response = await fetch(this.getAttribute('src') ?? '')
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      this.show(table(/** @type {Board} */ (await response.json())))
    } catch {
      // What is shown already stays: an old table is better than none.
      if (!this.shadowRoot?.querySelector('table'))
        this.show(element('p', 'The leaderboard is not available right now.'))
    }
  }

  /** @param {HTMLElement} content */
  show(content) {
    this.shadowRoot?.replaceChildren(element('style', STYLE), content)
  }
}

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
