import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const playground = ({ number, plural }: Format): Texts['playground'] => ({
  title: (brand) => `${brand}-Playground`,
  subtitle: 'Playground für Abfragen',
  introduction: {
    before: 'Frage Starboards, Spaces, Nachweise und Quests über einen GraphQL-Endpunkt ab:',
    between: 'mit dem Header',
    after: '. Wähle ein Beispiel, führe es aus und ändere es. Vollständiges Schema:',
  },

  token: {
    label: 'Server-Token',
    toggle: 'Token zeigen oder verbergen',
    use: 'Token verwenden',
    forget: 'Token vergessen',
    kept: 'Nur in diesem Tab gespeichert.',
    empty: 'Gib ein Token ein.',
    characters: 'Token enthalten nur Buchstaben, Ziffern und Satzzeichen, keine Leerzeichen.',
  },
  connection: {
    noToken: 'Abfragen erfordern ein Server-Token oder eine Sitzung.',
    signIn: 'Melde dich an',
    noTokenHelp:
      'und sende Abfragen mit deiner Sitzung, oder füge oben ein Token ein. Ein Dienst mit Demo-Daten gibt beim Start eines aus, nach „demo token:“. Betreiber erzeugen Token mit',
    connecting: 'Das Schema wird geladen …',
    connected: '✓ Token angenommen',
    signedInAs: (name) => `✓ Angemeldet als ${name}: Abfragen nutzen deine Sitzung und die Limits des Tarifs free`,
    refusedToken: 'Token nicht angenommen',
    refusedOther: 'Das Schema konnte nicht geladen werden',
    retryAfter: (seconds) =>
      plural(seconds, { one: 'Versuche es in # Sekunde erneut.', other: 'Versuche es in # Sekunden erneut.' }),
  },
  views: { label: 'Ansicht', examples: 'Beispiele', docs: 'Doku', question: 'Abfrage', answer: 'Antwort' },
  examples: {
    heading: 'Beispiele',
    note: 'Jede Operation, mit den Demo-Daten.',
    areas: { starboards: 'Starboards', spaces: 'Spaces', credentials: 'Nachweise', quests: 'Quests' },
    list: {
      StarboardInfo: { title: 'Ein Starboard abrufen', text: 'Name, Projekt, Art, Belohnung' },
      StarboardLeaderboard: {
        title: 'Die Rangliste auflisten',
        text: 'Setze für die nächste Seite „after“ auf pageInfo.endCursor',
      },
      StarboardUser: { title: 'Einen Nutzer der Rangliste finden', text: 'Nach X-Handle' },
      TwitterHandleByEvmAddress: {
        title: 'Das X-Handle einer Adresse abrufen',
        text: 'Der X-Nutzer einer EVM-Adresse',
      },
      StarboardUserDetail: {
        title: 'Die Werte einer Adresse abrufen',
        text: 'Eigene Aktivität und Einfluss durch andere',
      },
      SpaceInfo: { title: 'Einen Space abrufen', text: 'Name und Beschreibung' },
      SpaceRanks: {
        title: 'Loyalitätspunkte auflisten',
        text: 'Setze für die nächste Seite „cursorAfter“ auf pageInfo.endCursor. Für einen Sprint setze „sprintId“',
      },
      SpaceLoyaltyPointsRanks: {
        title: 'Loyalitätspunkte auf der obersten Ebene abfragen',
        text: 'Dieselbe Liste, eine Ebene weniger',
      },
      MemberRank: {
        title: 'Den Rang eines Mitglieds abrufen',
        text: 'Auf jedem Rang genau; null, wenn es nicht auf der Rangliste ist',
      },
      MemberRanks: {
        title: 'Die Ränge vieler Mitglieder abrufen',
        text: 'Bis zu 100 Adressen, zum selben Zeitpunkt',
      },
      RanksAroundMember: {
        title: 'Die Seite um ein Mitglied abrufen',
        text: 'Mit Cursorn zu den Seiten davor und danach',
      },
      SpaceSprints: { title: 'Die Sprints eines Spaces auflisten', text: 'Übergib ihre „id“ als „sprintId“' },
      PointsHistory: {
        title: 'Die Änderungen der Punkte eines Mitglieds auflisten',
        text: 'Neueste zuerst; Gründe nur für Eigentümer und Admins des Spaces',
      },
      CredentialInfo: { title: 'Einen Nachweis abrufen', text: 'Art, Quelle, Inhaber, Stand' },
      CredentialEligibility: {
        title: 'Die Berechtigung einer Adresse prüfen',
        text: '1 oder 0; verlässlich, solange syncStatus SYNCED ist',
      },
      QuestInfo: { title: 'Eine Quest abrufen', text: 'Status, Zeitraum, Teilnehmer, Punkte' },
      QuestList: { title: 'Die Quests eines Spaces auflisten', text: 'Gefiltert nach Status und Art' },
      QuestEligibility: {
        title: 'Eine Adresse für eine Quest prüfen',
        text: 'Bedingungen und Belohnungen, für die Adresse ausgewertet',
      },
    },
  },
  docs: {
    heading: 'Dokumentation',
    needsToken: 'Melde dich an oder gib ein Token ein, um die Dokumentation zu laden.',
  },
  question: {
    heading: 'Abfrage',
    variables: 'Variablen (JSON)',
    editorLabel: 'GraphQL-Abfrage',
    variablesLabel: 'JSON-Variablen',
    run: 'Ausführen',
    stop: 'Anhalten',
    shortcut: 'Strg+Enter führt die Abfrage aus',
    prettify: 'Formatieren',
    copyCurl: 'Als curl kopieren',
    copyFailed: 'Kopieren ist blockiert',
  },
  answer: {
    heading: 'Antwort',
    editorLabel: 'JSON-Antwort',
    none: 'Führe eine Abfrage aus, um die Antwort zu sehen.',
    running: 'Warten auf die Antwort …',
    unreachable: 'Keine Antwort',
    noResponse: (reason) => `Der Dienst antwortete nicht: ${reason}`,
    notGraphql: (status, body) => `HTTP ${status}, aber der Inhalt ist keine GraphQL-Antwort: ${body}`,
    status: (status) => `HTTP ${status}`,
    milliseconds: (value) => `${number(value)} ms`,
    request: 'Anfrage-ID',
    errors: (count) => plural(count, { one: '# Fehler', other: '# Fehler' }),
    at: 'bei',
  },
})
