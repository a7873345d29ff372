import type { Texts } from '../en/index.ts'

export const consent: Texts['consent'] = {
  title: 'App autorisieren',
  heading: (app) => `${app} bittet um Zugriff`,
  nothing: 'Nur, dass du hier ein Konto hast.',
  approved: 'Vom Betreiber dieses Dienstes genehmigt',
  publishedBy: (host) => `Veröffentlicht von ${host}`,
  notReviewed: {
    title: 'Nicht vom Betreiber geprüft',
    text: (host) => `Der Name stammt von ${host}. Fahre nur fort, wenn du dieses Programm gerade selbst verbindest.`,
  },
  homepage: (host) => `Website: ${host}`,
  as: (name) => `Angemeldet als ${name}.`,
  returnsTo: 'Du kehrst zurück zu',
  none: 'Nicht verknüpft, daher wird nichts geteilt.',
  link: (kind) => `${kind} verknüpfen`,
  notNow: 'Nicht jetzt',
  signOut: {
    title: 'Abmelden',
    question: (app, name) => `${app} möchte dich hier abmelden. Du bist als ${name} angemeldet.`,
    plainQuestion: (name) => `Du bist als ${name} angemeldet.`,
    confirm: 'Abmelden',
    stay: 'Angemeldet bleiben',
    done: 'Du bist abgemeldet.',
    back: (app) => `Zurück zu ${app}`,
    home: 'Startseite',
  },
  notes: {
    openid: 'Eine ID deines Kontos, und sonst nichts.',
    'quests:claim':
      'Die App kann Quests mit deinen verknüpften Wallets abschließen. Sie sieht die Adresse, die eine Quest verwendet, und die Bedingungen, die du nicht erfüllst.',
    mcp: 'Ein KI-Programm kann Ranglisten, Nachweise und Quests lesen wie du, auch private deiner Spaces. Es kann nichts ändern.',
  },
  scopes: {
    ServiceID: 'Dein Nutzername',
    openid: 'Deine Konto-ID',
    'quests:claim': 'Quests für dich abschließen',
    mcp: 'Mit deinem Konto lesen',
  },
  pick: (kind) => `Wähle, was du teilst: ${kind}`,
  allow: 'Erlauben',
  deny: 'Ablehnen',
  otherAccount: 'Anderes Konto verwenden',
  going: (host) => `Zurück zu ${host}`,
  otherExpected: {
    title: 'Anderes Konto erwartet',
    text: 'Diese App kennt dich unter einem anderen Konto. Melde dich damit an, oder lehne die Anfrage ab.',
  },
  gone: {
    title: 'Anfrage abgelaufen',
    text: 'Sie wurde schon beantwortet, ist älter als 30 Minuten oder wurde in einem anderen Browser begonnen. Geh zurück zur App und beginne neu.',
  },
  changed: 'Seit dem Öffnen dieser Seite hat sich etwas geändert. Prüfe die Anfrage noch einmal.',
  stillValid:
    'Die App sieht nichts, bis du den Zugriff erlaubst. Du kannst ihn jederzeit widerrufen, unter Konto → Autorisierte Apps.',
}
