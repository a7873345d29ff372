import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const search = ({ plural }: Format): Texts['search'] => ({
  title: 'Suche',
  placeholder: 'Spaces, Quests, Mitglieder, Seiten und Handbuch',
  close: 'Schließen',
  results: 'Treffer',
  pages: 'Seiten',
  manual: 'Handbuch',
  members: 'Mitglieder',
  edit: 'Bearbeiten',
  member: (space, points) => `${space} · ${points} Punkte`,
  hint: 'Gib einen Namen, eine Adresse oder eine ID ein. Pfeiltasten wählen, Enter öffnet.',
  searching: 'Suche läuft …',
  found: (count) =>
    count === 0
      ? 'Nichts gefunden. Prüfe die Schreibweise oder suche nach einer ID.'
      : plural(count, { one: '# Treffer', other: '# Treffer' }),
})
