// Puts a frame with a leaderboard into each element with the attribute data-questboard.
for (const place of document.querySelectorAll('[data-questboard]')) {
  if (place.querySelector('iframe')) continue
  const { questboard: slug, rows = '10', theme = 'auto', sprint, lang } = place.dataset
  const url = new URL(`/embed/${encodeURIComponent(slug)}`, document.currentScript.src)
  url.searchParams.set('rows', rows)
  url.searchParams.set('theme', theme)
  if (lang) url.searchParams.set('lang', lang)
  if (sprint) url.searchParams.set('sprint', sprint)
  const frame = document.createElement('iframe')
  frame.src = url.href
  frame.title = lang === 'de' ? 'Rangliste' : 'Leaderboard'
  frame.loading = 'lazy'
  frame.width = '100%'
  // The heights of the header, of the rows and of the footer.
  frame.height = 44 + 40 * Number(rows) + 44
  frame.style.border = '0'
  place.append(frame)
}
