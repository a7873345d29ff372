import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const picker = ({ number, plural }: Format): Texts['picker'] => ({
  placeholder: 'Name suchen oder ID einfügen',
  hint: 'Gib einen Teil des Namens ein.',
  searching: 'Suche läuft …',
  nothing: 'Nichts gefunden.',
  found: (count) => plural(count, { one: '# Ergebnis', other: '# Ergebnisse' }),
  results: (label) => `Ergebnisse für ${label}`,
  useId: (id) => `Die ID ${id} verwenden`,
  remove: (name) => `${name} entfernen`,
  rest: (count) => `${number(count)} weitere`,
  unknown: 'Wähle einen Eintrag der Liste oder füge eine ID ein.',
})
