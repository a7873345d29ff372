import type { english } from './en.ts'
import type { PageFormat } from './page-format.ts'

/** The German catalogue of the pages that the service writes. */
export const german = ({ number, plural }: PageFormat): ReturnType<typeof english> => {
  const members = (count: number) => plural(count, { one: '# Mitglied', other: '# Mitglieder' })
  const pointsCount = (count: number) => plural(count, { one: '# Punkt', other: '# Punkte' })
  return {
    frame: {
      skip: 'Zum Inhalt springen',
      pages: 'Seiten',
      explore: 'Entdecken',
      playground: 'Playground',
      manual: 'Handbuch',
      signIn: 'Anmelden',
      account: 'Dein Konto',
      description: 'Treueprogramme, Quests und Nachweise von Communitys',
    },

    rank: 'Rang',
    member: 'Mitglied',
    you: 'Du',
    completed: 'Abgeschlossen',
    points: 'Punkte',
    quest: 'Quest',
    quests: 'Quests',
    sprints: 'Sprints',
    sprint: (id) => `Sprint ${id}`,
    periodFrom: (date) => `ab ${date}`,
    periodUntil: (date) => `bis ${date}`,
    rankNumber: (rank) => `Rang ${number(rank)}`,
    of: (part, all) => `${number(part)} von ${number(all)}`,
    members,
    pointsCount,
    pointsWord: (count) => plural(count, { one: 'Punkt', other: 'Punkte' }),
    up: (places) => plural(places, { one: '# Rang nach oben', other: '# Ränge nach oben' }),
    down: (places) => plural(places, { one: '# Rang nach unten', other: '# Ränge nach unten' }),
    rankLine: (first, last, best) => `Von Rang ${number(first)} auf ${number(last)}, bester ${number(best)}`,
    periods: { '24h': '24 Std.', '7d': '7 Tage', '30d': '30 Tage' },
    tooManyRequests: 'Zu viele Anfragen. Versuche es später erneut.',

    home: {
      communities: 'Communitys',
      none: 'Noch hat keine Community eine öffentliche Seite.',
      noneBefore: 'Eigentümer veröffentlichen die Seite eines Spaces unter ',
      noneHelp: 'So veröffentlichst du eine Seite',
      more: 'Weitere Communitys',
      myQuests: 'Meine Quests',
      membersWord: (count) => plural(count, { one: 'Mitglied', other: 'Mitglieder' }),
      line: (from, to, count) =>
        `Von ${number(from)} auf ${members(to)} in ${plural(count, { one: '# Tag', other: '# Tagen' })}`,
      noChange: 'unverändert in dieser Woche',
      more7: { hidden: ' mehr', shown: ' in dieser Woche' },
      fewer7: { hidden: ' weniger', shown: ' in dieser Woche' },
      build: 'Baue darauf auf',
      buildLead:
        'Lies Ranglisten, Quests und Nachweise über einen einzigen GraphQL-Endpunkt, und melde Nutzer mit OAuth 2.0 an.',
      openPlayground: 'Playground öffnen',
      quickStart: 'Schnellstart',
      jsonApi: 'JSON-API',
    },

    space: {
      description: (count, name) => `${members(count)} auf der Rangliste von ${name}.`,
      leaderboard: 'Rangliste',
      full: 'Ganze Rangliste',
      empty: 'Noch keine Mitglieder.',
      next: 'Weitere Mitglieder',
      first: 'Erste Ränge',
      caption: (period) => `Mitglieder nach Punkten, mit Veränderung des Rangs (${period})`,
      overall: 'Gesamt',
      movement: 'Rangänderung',
      rankIn: (days) => `Rang, ${plural(days, { one: '# Tag', other: '# Tage' })}`,
    },

    find: {
      label: 'Mitglied finden',
      placeholder: 'Name oder Adresse',
      find: 'Suchen',
      me: 'Mich finden',
      absent: 'Du bist noch nicht auf dieser Rangliste. Du erscheinst mit deinen ersten Punkten.',
      none: (text) =>
        `Kein Mitglied dieser Rangliste hat einen Namen oder eine Adresse, die mit „${text}“ beginnt. Neue Mitglieder erscheinen mit ihren ersten Punkten. Mitglieder ohne Namen findest du über ihre Adresse oder über den Code aus zehn Buchstaben und Ziffern, der für den Namen steht. Er wird unter den ersten 10.000 Mitgliedern gesucht.`,
      caption: (text) => `Mitglieder, die zu „${text}“ passen`,
      first: (count) => `Das sind die ersten ${number(count)}. Gib mehr ein, um andere zu finden.`,
    },

    questList: {
      none: 'Zurzeit sind keine Quests aktiv.',
      open: (count) => plural(count, { one: '# Quest ist aktiv.', other: '# Quests sind aktiv.' }),
      isOpen: 'Aktiv',
      openUntil: (date) => `Aktiv bis ${date}`,
      soon: 'Beginnt bald',
      startsOn: (date) => `Beginnt am ${date}`,
      endedOn: (date) => `Beendet am ${date}`,
      all: (count) => plural(count, { one: '# Quest ansehen', other: 'Alle # Quests ansehen' }),
      more: (count) => plural(count, { one: 'und # weitere Quest', other: 'und # weitere Quests' }),
    },

    questsPage: {
      title: (space) => `Quests von ${space}`,
      description: (count, space) =>
        `${plural(count, { one: '# Quest', other: '# Quests' })} von ${space}: aktiv, nicht begonnen und beendet.`,
      count: (count) => plural(count, { one: '# Quest', other: '# Quests' }),
      state: 'Status der Quests',
      all: 'Alle',
      states: { open: 'Aktiv', upcoming: 'Nicht begonnen', ended: 'Beendet oder voll' },
      none: 'Keine Quests.',
      next: 'Weitere Quests',
    },

    memberPage: {
      description: (rank, all, space, points) =>
        `Rang ${number(rank)} von ${number(all)} in ${space}, mit ${plural(points, { one: '# Punkt', other: '# Punkten' })}.`,
      betterThan: 'Besser als',
      inPeriods: { '24h': 'In 24 Std.', '7d': 'In 7 Tagen', '30d': 'In 30 Tagen' },
      isNew: 'neu',
      noChange: 'unverändert',
      bestAndWorst: (best, worst) => `Bester Rang ${number(best)}, schlechtester Rang ${number(worst)}`,
      lastDays: (count) => `Rang in ${plural(count, { one: 'dem letzten # Tag', other: 'den letzten # Tagen' })}`,
      around: 'Rund um diesen Rang',
      openQuests: 'Aktive Quests',
      allCompleted: 'Alle aktiven Quests sind abgeschlossen.',
      sprint: 'Sprint',
      latest: 'Letzte Änderungen',
      time: 'Zeit (UTC)',
      change: 'Änderung',
    },

    questPage: {
      statuses: {
        Active: 'Aktiv',
        NotStarted: 'Noch nicht begonnen',
        Expired: 'Beendet',
        CapReached: 'Voll',
      },
      description: (space) => `Eine Quest von ${space}.`,
      status: 'Status',
      participants: 'Teilnehmer',
      participantsOf: (cap) => `Teilnehmer von ${number(cap)}`,
      starts: 'Beginnt',
      ends: 'Endet',
      complete: 'Diese Quest abschließen',
      yourCompletion: 'Dein Abschluss',
      needed: 'Das brauchst du',
      all: 'Alle davon:',
      any: 'Eine davon:',
      noCondition: 'Keine Bedingung: Alle können teilnehmen.',
      rewards: 'Belohnungen',
      rewardTypes: {
        LOYALTYPOINTS: 'Loyalitätspunkte',
        NFT: 'NFT',
        TOKEN: 'Token',
        OAT: 'OAT',
        DISCORDROLE: 'Discord-Rolle',
        MINTLIST: 'Mint-Liste',
        LOYALTYPOINTSMYSTERYBOX: 'Loyalitätspunkte, zufällig',
        CUSTOM: 'Andere',
      },
    },

    starboard: {
      name: 'Starboard',
      description: (count, name) =>
        `${plural(count, { one: '# Nutzer', other: '# Nutzer' })} in der Rangliste ${name}.`,
      users: (count) => plural(count, { one: '# Nutzer', other: '# Nutzer' }),
      ranking: 'Rangliste',
      empty: 'Noch keine Nutzer in der Rangliste.',
      next: 'Weitere Nutzer',
      reward: 'Belohnung',
      caption: 'Nutzer nach Wert, mit der Änderung des Werts',
      user: 'Nutzer',
      score: 'Wert',
      change24H: '24 Std.',
      change7D: '7 T.',
      change30D: '30 T.',
    },

    embed: {
      caption: (name) => `Rang, Mitglied und Punkte der ersten Ränge in ${name}`,
      notRanked: 'Ohne Rang',
      badge: (value, name) => `${value} in ${name}`,
    },

    missing: {
      titles: {
        page: 'Seite nicht gefunden',
        space: 'Community nicht gefunden',
        member: 'Mitglied nicht gefunden',
        quest: 'Quest nicht gefunden',
        starboard: 'Rangliste nicht gefunden',
      },
      leads: {
        page: 'Unter dieser Adresse gibt es keine Seite. Prüfe die Adresse, oder gehe hierhin:',
        space:
          'Keine Community hat diese Adresse. Ihre Seite ist vielleicht umgezogen oder nicht mehr öffentlich. Hier geht es weiter:',
        member:
          'Kein Mitglied dieser Community hat diese Adresse. Vielleicht steht es nicht mehr auf der Rangliste. Hier geht es weiter:',
        quest: 'Diese Quest gibt es nicht, oder sie ist nicht öffentlich. Hier geht es weiter:',
        starboard: 'Diese Rangliste gibt es nicht, oder sie ist nicht öffentlich. Hier geht es weiter:',
      },
      home: 'Startseite',
      own: 'Meine Quests',
      places: {
        home: ': die Communitys und ihre Ranglisten ansehen',
        explore: ': Spaces, Quests und Ranglisten suchen',
        exploreSignedIn: ': melde dich an und suche Spaces, Quests und Ranglisten',
        own: ': deine Ränge und die Quests, die du abschließen kannst',
        manual: ': die Dokumentation lesen oder durchsuchen',
      },
    },

    signInFailed: {
      title: 'Anmeldung fehlgeschlagen',
      help: 'Gehe zurück zur App und versuche es erneut. Wenn der Fehler bleibt, wende dich an die Entwickler der App.',
      detail: 'Für die Entwickler der App, auf Englisch:',
      faults: {
        tooManyRequests: () => 'Zu viele Anmeldungen aus diesem Netzwerk. Versuche es in einer Minute erneut.',
        tooManyClients: () => 'Zu viele Clients wurden abgefragt. Versuche es in einer Minute erneut.',
        missing: (parameter) => `Der Parameter ${parameter} fehlt.`,
        tooLong: () => 'Die Anfrage zur Anmeldung ist zu lang.',
        mediaType: () => 'Der Content-Type muss application/x-www-form-urlencoded sein.',
        clientUrl: () => 'Diese client_id kann nicht verwendet werden.',
        document: () => 'Das Metadaten-Dokument dieses Clients kann nicht verwendet werden.',
        redirectUri: () =>
          'Die redirect_uri ist für diese App nicht registriert. Sie muss genau einer registrierten URI gleichen.',
        host: (host) => `Der Betreiber erlaubt keine Clients, die zum Host ${host} führen.`,
        unknownApp: () => 'Unter dieser client_id ist keine App registriert.',
        notApproved: () => 'Diese App ist nicht genehmigt oder gesperrt.',
        invalid: () => 'Die Anfrage ist ungültig.',
        unavailable: () => 'Der Dienst ist zurzeit nicht verfügbar.',
        failed: () => 'Im Dienst ist ein Fehler aufgetreten.',
      },
    },

    visit: {
      title: 'Der Besuch zählt nicht',
      help: 'Melde dich an, öffne die Quest und klicke noch einmal auf „Besuchen“.',
      refusals: {
        forged: 'Dieser Link ist nicht von hier, oder ein Teil davon fehlt.',
        'signed-out': 'Du bist hier nicht angemeldet.',
        'other-account': 'Dieser Link gehört zu einem anderen Konto.',
        changed: 'Die Quest hat sich geändert, seit der Link erstellt wurde.',
        expired: 'Dieser Link ist abgelaufen. Ein Link gilt 15 Minuten.',
        limited: 'Es gab zu viele Anfragen. Warte eine Minute.',
      },
    },
  }
}
