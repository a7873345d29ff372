import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const rules = ({ number, plural }: Format): Texts['rules'] => {
  const points = (count: number) => plural(count, { one: '# Punkt', other: '# Punkte' })
  const ofPoints = (count: number) => plural(count, { one: '# Punkt', other: '# Punkten' })
  const events = { claim: 'Abschlüsse', award: 'Vergaben' }
  return {
    title: 'Regeln',
    of: (space) => `Regeln von ${space}`,
    lead: 'Regeln geben automatisch Punkte.',

    inForce: 'Geltende Regeln',
    edited: 'Bearbeitete Regeln',
    versionBy: (version, time, author) => `Version ${version}, veröffentlicht am ${time} von ${author}`,
    byCommand: 'einem Befehl',
    deletedAccount: 'einem gelöschten Konto',
    none: 'Noch keine Regeln',
    noneText:
      'Füge eine Regel hinzu, vergleiche sie mit früheren Ereignissen und veröffentliche sie. Sie gilt für alle späteren Ereignisse.',
    readOnly: 'Mit deiner Rolle kannst du die Regeln ansehen, aber nicht ändern.',
    noneReadOnly: 'Dieser Space gibt keine Punkte nach Regeln.',
    noRules: 'Diese Version hat keine Regeln.',
    add: 'Regel hinzufügen',
    edit: 'Bearbeiten',
    editNamed: (id) => `Regel ${id} bearbeiten`,
    done: 'Schließen',
    remove: 'Entfernen',
    removeNamed: (id) => `Regel ${id} entfernen`,
    isNew: 'Neu',
    isChanged: 'Geändert',
    incomplete: 'Diese Regel ist noch nicht vollständig.',
    forms: 'Formulare',
    json: 'JSON',
    view: 'Bearbeiten als',
    jsonHelp: 'Das Dokument von bin/questboard rules. Du kannst eine Datei hier einfügen.',
    jsonFault: (reason) => `Das ist kein JSON: ${reason}`,
    jsonShape: 'Gib ein Objekt mit einer Liste "rules" ein.',
    jsonValue: (path) => `${path} fehlt oder hat einen Wert, der hier nicht möglich ist.`,

    kind: 'Art der Regel',
    kinds: {
      claim: 'Abschlüsse',
      award: 'Vergaben',
      holder: 'Neue Inhaber',
      log: 'Ereignisse eines Vertrags',
      daily: 'Täglich',
      multiplier: 'Multiplikator',
      streak: 'Serien',
      referral: 'Empfehlungen',
    },
    kindHelp: {
      claim: 'Jeden Abschluss einer Quest.',
      award: 'Jede Vergabe von Punkten durch deine Systeme, Dateien und Betreiber.',
      holder: 'Jede Adresse, die zur Liste eines Nachweises hinzukommt, einmal.',
      log: 'Jedes Ereignis eines Vertrags, zum Beispiel jede Einzahlung. Der Nachweis hat eine Quelle der Art EVM_EVENT.',
      daily: 'Einmal an jedem UTC-Tag, an Inhaber oder Mitglieder.',
      multiplier: 'Vervielfacht die Punkte von Abschlüssen oder Vergaben in einem Zeitraum.',
      streak: 'Abschlüsse oder Vergaben an mehreren UTC-Tagen in Folge.',
      referral: 'Abschlüsse von Mitgliedern, die das Mitglied geworben hat.',
    },
    reasons: {
      claim: 'Eine Quest wurde abgeschlossen',
      award: 'Eine Vergabe',
      holder: 'Ein neuer Inhaber',
      log: 'Ein Ereignis eines Vertrags',
      daily: 'Ein Tag',
      multiplier: 'Vervielfachte Punkte',
      streak: 'Tage in Folge',
      referral: 'Ein geworbenes Mitglied',
    },
    id: 'ID',
    idHelp: 'Benennt die Regel in allen Versionen. Sie kann später nicht geändert werden.',
    description: 'Grund',
    descriptionHelp: 'Mitglieder sehen diesen Text auf der Seite „Meine Quests“ unter „Verlauf der Punkte“.',
    points: 'Punkte',
    quests: 'Quests',
    questsHelp: 'Ohne Auswahl gilt die Regel für alle Quests des Spaces.',
    pickQuests: 'Quests auswählen',
    minPoints: 'Mindestpunkte je Vergabe',
    existing: 'Auch für Inhaber, die schon auf der Liste stehen',
    minAmount: 'Mindestbetrag je Ereignis',
    minAmountHelp: 'In Basiseinheiten. Ohne Eingabe zählen alle Ereignisse.',
    audience: 'Für',
    audiences: { holders: 'Inhaber eines Nachweises', members: 'Mitglieder der Rangliste' },
    leastTotal: 'Mindestpunkte insgesamt',
    on: 'Gilt für',
    events: { claim: 'Abschlüsse', award: 'Vergaben' },
    factor: 'Faktor',
    factorHelp: '2 verdoppelt die Punkte.',
    days: 'Tage in Folge',
    repeat: 'Für jede weitere Serie dieser Länge wiederholen',
    claims: 'Abschlüsse, die zählen',
    claimsOf: {
      first: 'Der erste Abschluss jedes geworbenen Mitglieds',
      all: 'Alle Abschlüsse geworbener Mitglieder',
    },
    percent: 'Prozent der Punkte der Quest',
    from: 'Ab',
    until: 'Bis',
    cap: 'Grenze für ein Mitglied',
    noCap: 'Keine Grenze',
    caps: { day: 'Am Tag', week: 'In der Woche', month: 'Im Monat', ever: 'Insgesamt' },
    capPoints: 'Höchstens',
    sprint: 'Auch in dem Sprint zählen, der dann läuft',

    ofQuests: (names) => ` von ${names}`,
    ofManyQuests: (count) => ` von ${number(count)} Quests`,
    summaries: {
      claim: (count, quests) => `${points(count)} für jeden Abschluss${quests}`,
      award: (count, least) =>
        `${points(count)} für jede Vergabe${least === undefined ? '' : ` von mindestens ${ofPoints(least)}`}`,
      holder: (count, list, existing) =>
        `${points(count)} einmal für jeden ${existing ? '' : 'neuen '}Inhaber von ${list}`,
      log: (count, list, least) =>
        `${points(count)} für jedes Ereignis von ${list}${least === undefined ? '' : ` mit mindestens ${least} Basiseinheiten`}`,
      dailyHolders: (count, list) => `${points(count)} jeden Tag für jeden Inhaber von ${list}`,
      dailyMembers: (count, least) => `${points(count)} jeden Tag für jedes Mitglied mit mindestens ${ofPoints(least)}`,
      multiplier: (factor, on, quests) => `Das ${number(factor)}-Fache der Punkte für ${events[on]}${quests}`,
      streak: (count, days, on, quests, repeat) =>
        `${points(count)} für ${events[on]}${quests} an ${number(days)} Tagen in Folge${repeat ? '' : ', einmal je Serie'}`,
      referral: (count, percent, all, quests) =>
        `${[...(count > 0 ? [points(count)] : []), ...(percent > 0 ? [`${number(percent)} % der Punkte`] : [])].join(' und ')} für ${all ? 'jeden Abschluss' : 'den ersten Abschluss'}${quests} eines geworbenen Mitglieds`,
    },
    period: (from, until) => {
      if (from !== undefined && until !== undefined) return `, von ${from} bis ${until}`
      if (from !== undefined) return `, ab ${from}`
      return until === undefined ? '' : `, bis ${until}`
    },
    atMost: (count, per) =>
      `, höchstens ${points(count)} für ein Mitglied ${{ day: 'am Tag', week: 'in der Woche', month: 'im Monat', ever: 'insgesamt' }[per]}`,
    notInSprint: ', nur in der Gesamtrangliste',

    unpublished: (count) =>
      plural(count, { one: '# Änderung ist nicht veröffentlicht', other: '# Änderungen sind nicht veröffentlicht' }),
    added: (id) => `${id} kommt hinzu`,
    removed: (id) => `${id} entfällt`,
    changed: (id) => `${id} ändert sich`,
    reordered: 'Die Reihenfolge ändert sich',
    discard: 'Verwerfen',
    publish: 'Veröffentlichen',
    publishTitle: (version) => `Version ${version} veröffentlichen?`,
    publishText:
      'Neue Ereignisse zählen nach diesen Regeln. Frühere Punkte ändern sich nur, wenn du die Regeln auf die Vergangenheit anwendest.',
    published: (version) => `Version ${version} gilt`,

    past: 'Frühere Ereignisse',
    pastLead:
      'Zeigt, wie sich die Punkte ändern, wenn diese Regeln für frühere Ereignisse gegolten hätten. Nichts wird gespeichert.',
    since: 'Ereignisse seit',
    sinceAll: 'Ohne Eingabe zählen alle Ereignisse.',
    sinceFirst: 'Ohne Eingabe zählen alle seit der ersten Version der Regeln.',
    compare: 'Vergleichen',
    comparing: 'Vergleich mit früheren Ereignissen …',
    counted: (count, since) => `${plural(count, { one: '# Ereignis', other: '# Ereignisse' })} seit ${since}`,
    allCounted: (count) => plural(count, { one: '# Ereignis', other: '# Ereignisse' }),
    same: 'Kein Mitglied hätte andere Punkte',
    nowSame: 'Alle Mitglieder haben die Punkte, die diese Regeln geben',
    differ: (members) =>
      plural(members, {
        one: 'Die Punkte von # Mitglied weichen ab',
        other: 'Die Punkte von # Mitgliedern weichen ab',
      }),
    total: 'Alle Mitglieder',
    member: 'Mitglied',
    rule: 'Regel',
    before: 'Vorher',
    after: 'Nachher',
    difference: 'Änderung',
    byRule: 'Punkte nach Regel',
    byMember: 'Punkte nach Mitglied, größter Unterschied zuerst',
    moreMembers: (count) => plural(count, { one: '… und # weiteres Mitglied', other: '… und # weitere Mitglieder' }),
    notCounted: 'Das Anwenden ändert keine Punkte für neue Inhaber oder Tage.',
    replay: (version) => `Version ${version} anwenden`,
    replayTitle: (version) => `Version ${version} auf die Vergangenheit anwenden?`,
    replayText: (members) =>
      `Berichtigt die Punkte von ${plural(members, { one: '# Mitglied', other: '# Mitgliedern' })} mit neuen Einträgen im Verlauf. Vergaben und Abschlüsse in diesem Space warten bis zum Ende.`,
    replayFirst: 'Um diese Punkte zu geben, veröffentliche die Regeln und vergleiche noch einmal.',
    replaying: 'Frühere Ereignisse werden neu gezählt. Vergaben und Abschlüsse in diesem Space warten …',
    progress: 'Fortschritt',
    replayed: (members) =>
      plural(members, {
        one: 'Die Punkte von # Mitglied wurden berichtigt',
        other: 'Die Punkte von # Mitgliedern wurden berichtigt',
      }),

    versions: 'Versionen',
    versionsLead: 'Bei jeder Veröffentlichung werden die Regeln als Version gespeichert.',
    version: (version) => `Version ${version}`,
    current: 'Gilt',
    count: (count) => plural(count, { one: '# Regel', other: '# Regeln' }),
    byAt: (time, author) => `${time} von ${author}`,
    show: 'Anzeigen',
    showNamed: (version) => `Version ${version} anzeigen`,
    hide: 'Verbergen',
    hideNamed: (version) => `Version ${version} verbergen`,
    restore: 'Wiederherstellen',
    restoreNamed: (version) => `Version ${version} wiederherstellen`,
    restored: (version) => `Die Regeln von Version ${version} sind im Editor. Veröffentliche sie, damit sie gelten.`,
  }
}
