import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const people = ({ number, plural }: Format): Texts['people'] => ({
  title: 'Personen',
  one: 'Person',
  lead: 'Suche Konten, sieh dir ihre Daten an, sperre sie und verwalte Betreiber.',
  accounts: 'Konten',
  search: 'Nutzername, ID, Adresse oder Name einer Identität',
  none: 'Kein Konto gefunden',
  noneText: 'Die Suche findet ganze Adressen und IDs und den Anfang eines Nutzernamens.',
  clear: 'Alle Konten anzeigen',
  more: 'Mehr anzeigen',
  operator: 'Betreiber',
  suspended: 'Gesperrt',
  created: (day) => `Angelegt am ${day}`,
  noIdentities: 'keine Identitäten',
  passkeys: (count) => plural(count, { one: '# Passkey', other: '# Passkeys' }),

  seen: (time) => `Zuletzt aktiv am ${time}`,
  sessions: (count) => plural(count, { one: '# Sitzung', other: '# Sitzungen' }),
  id: (id) => `ID ${id}`,
  identities: 'Identitäten',
  linked: (day) => `verknüpft am ${day}`,
  spaces: 'Spaces',
  noSpaces: 'In keinem Team.',
  points: 'Punkte',
  noPoints: 'Keine Punkte in einer Rangliste.',
  pointsOf: (points, address) => `${number(points)} Punkte · ${address}`,
  tokens: 'Token',
  noTokens: 'Keine aktiven Token.',
  serverToken: (plan) => `Server-Token · Tarif ${plan}`,
  ingestToken: 'Ingest-Token',
  tokenRevoked: (name) => `${name} wurde widerrufen`,
  webhooks: 'Webhooks',
  noWebhooks: 'Keine Webhooks.',
  deleteWebhook: (host) => `Webhook an ${host} löschen`,
  webhookDeleted: (host) => `Der Webhook an ${host} wurde gelöscht`,
  used: (time) => `zuletzt benutzt am ${time}`,
  neverUsed: 'nie benutzt',
  apps: 'Apps',
  noApps: 'Keine Apps.',
  log: 'Protokoll',

  suspension: 'Sperre',
  suspensionLead:
    'Ein gesperrtes Konto kann sich nicht anmelden. Seine Sitzungen enden, seine Token werden abgelehnt, Apps verlieren den Zugriff, und seine Webhooks werden ausgeschaltet.',
  since: (time, reason) => `Gesperrt seit ${time}. Grund: ${reason}`,
  reason: 'Grund (für Betreiber)',
  suspend: 'Sperren',
  suspendQuestion: (name) => `${name} sperren? Du kannst die Sperre später aufheben.`,
  resume: 'Sperre aufheben',
  suspendedNow: (name) => `${name} ist gesperrt`,
  resumed: (name) => `${name} ist nicht mehr gesperrt`,

  rights: 'Betreiberrechte',
  rightsLead: 'Betreiber verwalten alles in diesem Dienst.',
  grant: 'Zum Betreiber machen',
  grantQuestion: (name) => `${name} zum Betreiber machen?`,
  withdraw: 'Betreiberrechte entziehen',
  withdrawQuestion: (name) =>
    `${name} die Betreiberrechte entziehen? Dies beendet auch Token, Tarife und Webhooks, die diese Rechte brauchen.`,
  granted: (name) => `${name} ist Betreiber`,
  withdrawn: (name) => `${name} ist kein Betreiber mehr`,

  invite: 'Betreiber einladen',
  inviteLead: 'Das Konto, das den Link öffnet, wird Betreiber. Der Link gilt einmal.',
  createLink: 'Link erstellen',
  linkUntil: (time) => `Gültig bis ${time}. Sende ihn nur dem neuen Betreiber.`,

  data: 'Personenbezogene Daten',
  dataLead: 'Der Export enthält alle Daten über das Konto und seine Adressen. Jeder Export wird protokolliert.',
  export: 'Daten herunterladen',
  erase: 'Konto löschen',
  eraseLead:
    'Das Konto wird mit seinen Identitäten, Token und seinem Protokoll gelöscht. Daten unter seinen Adressen bleiben in Spaces und Listen. Um auch diese zu löschen, lade zuerst die Daten herunter: Die Datei nennt die Adressen. Das lässt sich nicht rückgängig machen.',
  eraseConfirm: (name) => `Gib zur Bestätigung ${name} ein`,
  eraseFor: 'Endgültig löschen',
  erased: (name) => `${name} wurde gelöscht`,
  own: 'Dies ist dein eigenes Konto.',

  addressData: {
    title: 'Daten einer Adresse',
    lead: 'Für eine Adresse, E-Mail-Adresse oder einen Namen, der zu keinem Konto gehört.',
    dataLead: 'Der Export enthält alle Daten unter der Adresse. Jeder Export wird protokolliert, ohne die Adresse.',
    address: 'Adresse, E-Mail-Adresse oder Name',
    exported: (rows) =>
      rows === 0
        ? 'Unter dieser Adresse ist nichts gespeichert. Prüfe die Schreibweise.'
        : plural(rows, { one: 'Die Datei enthält # Eintrag.', other: 'Die Datei enthält # Einträge.' }),
    erase: 'Adresse löschen',
    eraseLead:
      'Die Adresse wird aus Ranglisten, Quests und Verknüpfungen von Starboards gelöscht, und ihre Ausschlüsse enden. Inhaberlisten und Nachrichten von Webhooks bleiben. Das lässt sich nicht rückgängig machen.',
    erased: ({ boards, quests, links, bans }) =>
      boards + quests + links + bans === 0
        ? 'Keine Rangliste, Quest, Starboard-Verknüpfung und kein Ausschluss enthielt diese Adresse. Prüfe die Schreibweise.'
        : `Die Adresse wurde gelöscht aus Ranglisten (${number(boards)}), Quests (${number(quests)}), Starboard-Verknüpfungen (${number(links)}) und Ausschlüssen (${number(bans)}).`,
  },
})
