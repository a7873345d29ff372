import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const snapshots = ({ number, plural }: Format): Texts['snapshots'] => ({
  title: 'Snapshots',
  lead: 'Versiegelte Listen von Mitgliedern, Inhabern oder Teilnehmern, mit Merkle-Beweisen für Airdrops. Eine versiegelte Liste ändert sich nie.',
  add: 'Neuer Snapshot',
  addLead: 'Sieh dir zuerst die Vorschau der Liste an und erstelle dann den Snapshot. Er ändert sich nie.',
  kind: 'Liste',
  kinds: {
    space: 'Rangliste eines Spaces',
    credential: 'Inhaber eines Nachweises',
    quest: 'Teilnehmer einer Quest',
  },
  objects: { space: 'Space', credential: 'Nachweis', quest: 'Quest' },
  sprint: 'Sprint',
  at: 'Zeitpunkt',
  atHelp: 'Ohne Eingabe gilt der jetzige Zeitpunkt. Frühere Ranglisten bleiben 30 Minuten erhalten.',
  public: 'Öffentlich',
  publicHelp: 'Jeder kann den Beweis zu einer Adresse lesen.',
  note: 'Notiz',
  noteHelp: 'Freiwillig, zum Beispiel wofür die Liste ist. Sie ist so öffentlich wie der Snapshot.',
  preview: 'Vorschau',
  create: 'Snapshot erstellen',
  previewOf: (name, time) => `${name}, Stand ${time}`,
  meaning: {
    space: 'Der Snapshot hat die Punkte dieses Zeitpunkts, auch wenn sie sich vor dem Versiegeln ändern.',
    credential: 'Die jetzigen Inhaber. Der Snapshot hat die Inhaber zum Zeitpunkt des Versiegelns.',
    quest: 'Der Snapshot hat die Teilnehmer dieses Zeitpunkts, ohne spätere.',
  },
  recordedTime:
    'Die letzten Punkte, die zum gewählten Zeitpunkt oder davor erfasst wurden. Der Snapshot hat denselben Stand.',
  member: 'Mitglied',
  firstOf: (shown, count) =>
    shown === count
      ? plural(count, { one: 'Das einzige Mitglied', other: 'Alle # Mitglieder' })
      : `Die ersten ${number(shown)} von ${number(count)} Mitgliedern`,
  leftOutOf: (shown, count) =>
    shown === count
      ? plural(count, { one: 'Nicht im Merkle-Baum: # Mitglied', other: 'Nicht im Merkle-Baum: # Mitglieder' })
      : `Nicht im Merkle-Baum: die ersten ${number(shown)} von ${number(count)} Mitgliedern`,
  reasons: {
    no_evm_address: 'Keine EVM-Adresse: nicht im Merkle-Baum',
    negative_points: 'Weniger als 0 Punkte: nicht im Merkle-Baum',
  },
  members: (count) => plural(count, { one: '# Mitglied', other: '# Mitglieder' }),
  points: (digits) => plural(Number(digits), { one: '# Punkt', other: '# Punkte' }),
  leaves: (count) => `${number(count)} im Merkle-Baum`,
  leftOut: (count) => `${number(count)} ausgelassen`,
  banned: (count) => `${number(count)} ausgeschlossen`,
  size: (megabytes) => `Bis zu ${megabytes} MB auf dem Datenträger`,
  all: 'Alle Snapshots',
  none: 'Keine Snapshots',
  noneText: 'Sieh dir oben die Vorschau einer Liste an und erstelle dann ihren Snapshot.',
  created: (name) => `Der Snapshot von ${name} wird versiegelt`,
  removed: (name) => `Der Snapshot von ${name} wurde gelöscht`,
  states: { waiting: 'Wird versiegelt', sealed: 'Versiegelt', failed: 'Fehlgeschlagen' },
  failures: {
    list_empty: 'Die Liste ist leer.',
    list_incomplete: 'Die Liste war noch nicht vollständig.',
    not_found: 'Die Quelle der Liste wurde gelöscht.',
    insufficient_storage: 'Auf der Festplatte der Datenbank ist zu wenig Platz.',
    interrupted: 'Das Versiegeln wurde mehrmals unterbrochen.',
    internal_error: 'Interner Fehler. Die Ursache steht im Log des Dienstes.',
  },
  isPublic: 'Öffentlich',
  isPrivate: 'Privat',
  asOf: (time) => `Stand ${time}`,
  ofSprint: (kind, sprintId) => `${kind}, Sprint ${sprintId}`,
  download: 'Herunterladen:',
  downloadNamed: (name, format) => `${name} als ${format} herunterladen`,
  formats: { csv: 'CSV', ndjson: 'NDJSON', airdrop: 'Airdrop-CSV', disperse: 'Disperse' },
  digest: 'Prüfsumme (SHA-256 der CSV-Datei)',
  root: 'Merkle-Wurzel',
  remove: 'Löschen',
  removeNamed: (name) => `Snapshot von ${name} löschen`,
  removeQuestion: 'Diesen Snapshot löschen? Mitglieder können seine Beweise dann nicht mehr abrufen.',
  of: (space) => `Snapshots von ${space}`,
  ofLead:
    'Versiegelte Listen der Rangliste oder der Teilnehmer einer Quest, mit Merkle-Beweisen für Airdrops. Eine versiegelte Liste ändert sich nie.',
  overall: 'Gesamtrangliste',
  quest: 'Quest',
  noQuests: 'Dieser Space hat noch keine Quests.',
})
