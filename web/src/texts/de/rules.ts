import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const rules = ({ number, plural }: Format): Texts['rules'] => {
  const points = (count: number) => plural(count, { one: '# Punkt', other: '# Punkte' })
  const ofPoints = (count: number) => plural(count, { one: '# Punkt', other: '# Punkten' })
  const events = { claim: 'Abschlüsse', award: 'Vergaben' }
  return {
    title: 'Regeln',
    open: 'Regeln anzeigen',
    of: (space) => `Regeln von ${space}`,
    lead: 'Regeln geben von selbst Punkte: für Abschlüsse, Vergaben, Inhaber und Tage.',

    inForce: 'Geltende Regeln',
    edited: 'Bearbeitete Regeln',
    versionBy: (version, time, author) => `Version ${version}, veröffentlicht ${time} von ${author}`,
    byCommand: 'einem Befehl',
    deletedAccount: 'einem gelöschten Konto',
    none: 'Noch keine Regeln',
    noneText:
      'Fügen Sie eine Regel hinzu, probieren Sie sie an früheren Ereignissen aus, und veröffentlichen Sie sie. Sie gilt für Ereignisse ab dann.',
    readOnly: 'Mit Ihrer Rolle können Sie die Regeln ansehen, aber nicht ändern.',
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
    jsonHelp: 'Das Dokument von bin/questboard rules. Sie können eine Datei hier einfügen.',
    jsonFault: (reason) => `Das ist kein JSON: ${reason}`,
    jsonShape: 'Geben Sie ein Objekt mit einer Liste "rules" ein.',
    jsonValue: (path) => `${path} fehlt oder hat einen Wert, der hier nicht möglich ist.`,

    kind: 'Gibt Punkte für',
    kinds: {
      claim: 'Abschlüsse',
      award: 'Vergaben',
      holder: 'Neue Inhaber',
      daily: 'Jeden Tag',
      multiplier: 'Einen Faktor',
      streak: 'Serien',
      referral: 'Empfehlungen',
    },
    kindHelp: {
      claim: 'Jeden Abschluss einer Quest.',
      award: 'Jede Vergabe von Punkten durch Ihre Systeme, Dateien und Operatoren.',
      holder: 'Jede Adresse, die zur Liste eines Credentials hinzukommt, einmal.',
      daily: 'Einmal an jedem UTC-Tag, an Inhaber oder Mitglieder.',
      multiplier: 'Die Punkte von Abschlüssen oder Vergaben noch einmal, in einem Zeitraum.',
      streak: 'Abschlüsse oder Vergaben an mehreren UTC-Tagen in Folge.',
      referral: 'Abschlüsse von Mitgliedern, die das Mitglied geworben hat.',
    },
    reasons: {
      claim: 'Eine Quest wurde abgeschlossen',
      award: 'Eine Vergabe',
      holder: 'Ein neuer Inhaber',
      daily: 'Ein Tag',
      multiplier: 'Vervielfachte Punkte',
      streak: 'Tage in Folge',
      referral: 'Ein geworbenes Mitglied',
    },
    id: 'ID',
    idHelp: 'Benennt die Regel in allen Versionen. Sie kann später nicht geändert werden.',
    description: 'Grund',
    descriptionHelp: 'Mitglieder sehen diesen Text in ihrem Verlauf.',
    points: 'Punkte',
    quests: 'Quests',
    questsHelp: 'Leer: alle Quests des Space.',
    pickQuests: 'Quests auswählen',
    minPoints: 'Nur Vergaben von mindestens',
    existing: 'Auch für Inhaber, die schon auf der Liste stehen',
    audience: 'Für',
    audiences: { holders: 'Inhaber eines Credentials', members: 'Mitglieder der Rangliste' },
    leastTotal: 'Mit mindestens so vielen Punkten',
    on: 'Von',
    events: { claim: 'Abschlüssen', award: 'Vergaben' },
    factor: 'Faktor',
    factorHelp: '2 gibt die Punkte noch einmal.',
    days: 'Tage in Folge',
    repeat: 'Wieder nach ebenso vielen weiteren Tagen',
    claims: 'Abschlüsse, die zählen',
    claimsOf: {
      first: 'Der erste Abschluss jedes geworbenen Mitglieds',
      all: 'Alle Abschlüsse geworbener Mitglieder',
    },
    percent: 'Prozent der Punkte des Abschlusses',
    from: 'Ab',
    until: 'Bis',
    cap: 'Grenze für ein Mitglied',
    noCap: 'Keine Grenze',
    caps: { day: 'Am Tag', week: 'In der Woche', month: 'Im Monat', ever: 'Insgesamt' },
    capPoints: 'Höchstens',
    sprint: 'Auch im Sprint zählen, der zur Zeit des Ereignisses läuft',

    ofQuests: (names) => ` von ${names}`,
    ofManyQuests: (count) => ` von ${number(count)} Quests`,
    summaries: {
      claim: (count, quests) => `${points(count)} für jeden Abschluss${quests}`,
      award: (count, least) =>
        `${points(count)} für jede Vergabe${least === undefined ? '' : ` von mindestens ${ofPoints(least)}`}`,
      holder: (count, list, existing) =>
        `${points(count)} einmal für jeden ${existing ? '' : 'neuen '}Inhaber von ${list}`,
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
      'Ereignisse ab jetzt zählen nach diesen Regeln. Frühere Punkte bleiben, außer Sie wenden die Regeln auf die Vergangenheit an.',
    published: (version) => `Version ${version} gilt`,

    past: 'Frühere Ereignisse',
    pastLead:
      'Vergleicht die Punkte, die diese Regeln gegeben hätten, mit denen, die die Regeln gegeben haben. Nichts wird gespeichert.',
    since: 'Ereignisse seit',
    sinceAll: 'Leer: alle Ereignisse.',
    sinceFirst: 'Leer: seit der ersten Version der Regeln.',
    compare: 'Vergleichen',
    comparing: 'Die Vergangenheit wird gezählt …',
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
    notCounted: 'Punkte für neue Inhaber und für Tage werden nicht neu gezählt.',
    replay: (version) => `Version ${version} anwenden`,
    replayTitle: (version) => `Version ${version} auf die Vergangenheit anwenden?`,
    replayText: (members) =>
      `Rückbuchungen nehmen Punkte zurück, und neue Einträge geben fehlende Punkte an ${plural(members, { one: '# Mitglied', other: '# Mitglieder' })}. Vergaben und Abschlüsse des Space warten bis zum Ende.`,
    replayFirst: 'Um diese Punkte zu geben, veröffentlichen Sie die Regeln, und vergleichen Sie noch einmal.',
    replaying: 'Die Vergangenheit wird neu gezählt. Vergaben und Abschlüsse des Space warten …',
    progress: 'Fortschritt',
    replayed: (members) =>
      plural(members, {
        one: 'Die Punkte von # Mitglied wurden berichtigt',
        other: 'Die Punkte von # Mitgliedern wurden berichtigt',
      }),

    versions: 'Versionen',
    versionsLead: 'Jede Veröffentlichung ist eine Version und bleibt.',
    version: (version) => `Version ${version}`,
    current: 'Gilt',
    count: (count) => plural(count, { one: '# Regel', other: '# Regeln' }),
    byAt: (time, author) => `${time} von ${author}`,
    show: 'Anzeigen',
    showNamed: (version) => `Version ${version} anzeigen`,
    hide: 'Verbergen',
    hideNamed: (version) => `Version ${version} verbergen`,
    restore: 'Zurückkehren',
    restoreNamed: (version) => `Zu Version ${version} zurückkehren`,
    restored: (version) =>
      `Die Regeln von Version ${version} sind im Editor. Veröffentlichen Sie sie, damit sie gelten.`,
  }
}
