import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const bans = ({ plural }: Format): Texts['bans'] => ({
  title: 'Ausschlüsse',
  lead: 'Ein Ausschluss nimmt ein Konto oder eine Adresse aus Ranglisten, Abschlüssen und Snapshots. Punkte bleiben erhalten.',
  create: 'Neuer Ausschluss',
  what: 'Ausschließen',
  subjects: { address: 'Eine Adresse oder ein Handle', account: 'Ein Konto mit allen Adressen' },
  address: 'Adresse oder Handle',
  account: 'Konto',
  space: 'Space',
  spaceHelp: 'Ohne Auswahl gilt der Ausschluss in allen Spaces.',
  reason: 'Grund (für Betreiber)',
  until: 'Bis',
  untilHelp: 'Ohne Eingabe gilt der Ausschluss bis zur Aufhebung.',
  ban: 'Ausschließen',
  banQuestion: (subject, space, end) =>
    `${subject} ${space === null ? 'in allen Spaces' : `im Space ${space}`} ${end} ausschließen?`,
  banned: (subject) => `${subject} ist ausgeschlossen`,
  onBoards: (count, names) =>
    plural(count, { one: `Hat Punkte in # Space: ${names}`, other: `Hat Punkte in # Spaces: ${names}` }),
  onNoBoard: 'Hat in keinem Space Punkte. Prüfe die Schreibweise.',
  isShortId:
    'Hat in keinem Space Punkte. Wenn das die kurze ID einer Rangliste ist, öffne die Rangliste des Spaces, wähle das Mitglied und dann „Dieses Mitglied ausschließen“.',
  banMember: 'Dieses Mitglied ausschließen',
  isUsername: (name) =>
    `Ein Konto hat den Nutzernamen ${name}. Um es mit allen seinen Adressen auszuschließen, wähle das Konto.`,
  chooseAccount: 'Konto wählen',
  covers: (count) =>
    plural(count, { one: 'Der Ausschluss betrifft # Adresse.', other: 'Der Ausschluss betrifft # Adressen.' }),

  list: 'Alle Ausschlüsse',
  show: 'Status',
  states: { active: 'Aktiv', ended: 'Beendet' },
  find: 'Nach Adresse oder Handle filtern',
  none: 'Keine Ausschlüsse',
  noneText: 'Ein Konto oder eine Adresse, die du ausschließt, erscheint hier.',
  more: 'Mehr anzeigen',
  allSpaces: 'in allen Spaces',
  inSpace: (name) => `in ${name}`,
  addresses: (count) => plural(count, { one: '# Adresse', other: '# Adressen' }),
  since: (time, by) => `seit ${time}, von ${by}`,
  byCommand: 'einem Befehl',
  deletedAccount: 'einem gelöschten Konto',
  untilTime: (time) => `bis ${time}`,
  untilLifted: 'bis zur Aufhebung',
  lifted: (time) => `aufgehoben am ${time}`,
  expired: (time) => `beendet am ${time}`,
  endsSoon: 'Endet bald',
  lift: 'Aufheben',
  liftNamed: (subject) => `Ausschluss von ${subject} aufheben`,
  liftQuestion: (subject) => `Den Ausschluss von ${subject} aufheben? Die Punkte kehren auf die Ranglisten zurück.`,
  liftedNow: (subject) => `Der Ausschluss von ${subject} wurde aufgehoben`,
  ofPerson: 'Ausschlüsse',
  noneOfPerson: 'Dieses Konto war nie ausgeschlossen.',
  manage: 'Ausschlüsse verwalten',
})
