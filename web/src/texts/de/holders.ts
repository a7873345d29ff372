import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const holders = ({ number, plural }: Format): Texts['holders'] => ({
  give: 'Liste der Inhaber',
  change: 'Liste der Inhaber ändern',
  giveLead: 'Füge die Inhaber ein oder wähle eine Datei. Bevor etwas gespeichert wird, siehst du, was sich ändert.',
  giveNew: 'Füge die Inhaber ein oder wähle eine Datei. Du kannst das auch später tun.',
  text: 'Inhaber',
  textHelp: 'Ein Inhaber je Zeile, oder CSV mit der Spalte „address“. Andere Spalten werden ignoriert.',
  choose: 'Datei wählen',
  chosen: (name) => `Datei: ${name}`,
  drop: 'Datei entfernen',
  unreadable: 'Der Browser konnte diese Datei nicht lesen. Wähle sie noch einmal.',
  tooLarge: 'Höchstens 4 MiB, etwa 90.000 Adressen. Für mehr gibt es die Ingest-API.',
  manual: 'Mehr über Listen von Inhabern',
  mode: 'Diese Inhaber',
  modes: { add: 'zur Liste hinzufügen', remove: 'aus der Liste entfernen', replace: 'ersetzen die ganze Liste' },
  check: 'Prüfen',
  results: {
    added: (count) => `${number(count)} neu`,
    removed: (count) => plural(count, { one: '# wird entfernt', other: '# werden entfernt' }),
    unchanged: (count) => `${number(count)} unverändert`,
    refused: (count) => `${number(count)} abgelehnt`,
  },
  correct: 'Berichtige die abgelehnten Zeilen. Alle Zeilen werden gespeichert, oder keine.',
  noChange: 'Diese Inhaber ändern nichts.',
  actions: {
    add: (added) => `${number(added)} Inhaber hinzufügen`,
    remove: (removed) => `${number(removed)} Inhaber entfernen`,
    replace: 'Liste ersetzen',
  },
  removeQuestion: (count) =>
    plural(count, {
      one: '# Inhaber wird aus der Liste entfernt und erfüllt Bedingungen mit diesem Nachweis nicht mehr.',
      other: '# Inhaber werden aus der Liste entfernt und erfüllen Bedingungen mit diesem Nachweis nicht mehr.',
    }),
  stored: (lines) =>
    plural(lines, { one: 'Die Liste ist geändert: # Zeile', other: 'Die Liste ist geändert: # Zeilen' }),
  line: 'Zeile',
  problem: 'Problem',
  noColumn: 'Die erste Zeile nennt keine Spalte „address“.',
  firstProblems: (shown) => `Die ersten ${number(shown)}:`,

  title: 'Inhaber',
  lead: 'Die jetzige Liste, nach Adressen geordnet.',
  search: 'Inhaber finden',
  searchHelp: 'Der Anfang einer Adresse oder eines Handles. Bei Solana-Adressen zählen Groß- und Kleinbuchstaben.',
  address: 'Adresse oder Handle',
  name: 'Name',
  notFound: 'Kein Inhaber beginnt mit diesem Text',
  more: 'Mehr anzeigen',
})
