import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'

export const signIn = ({ plural }: Format): Texts['signIn'] => ({
  title: 'Anmelden',
  heading: (brand) => `Bei ${brand} anmelden`,
  headingFor: (app) => `Anmelden, um mit ${app} fortzufahren`,
  lead: 'Wähle, wie du dich anmeldest. Die erste Anmeldung legt ein Konto an.',
  why: {
    account: 'Melde dich an, um deine Identitäten, Sitzungen und Apps zu verwalten.',
    content: 'Melde dich an, um die Spaces deines Teams zu bearbeiten.',
    explore:
      'Melde dich an, um zu entdecken. Es gelten die Grenzen deines Kontos, und du siehst auch deine privaten Quests.',
    my: 'Melde dich an, um deine Ränge zu sehen und die Quests, die du abschließen kannst.',
    playground: 'Melde dich an, um Abfragen ohne Server-Token zu senden.',
    quest: 'Melde dich an, um die Quest abzuschließen.',
    operator: 'Diese Seiten sind für Betreiber dieses Dienstes.',
    settings: 'Melde dich an, um deine Token, Apps und Webhooks zu verwalten.',
  },
  noAccountNeeded: 'Ohne Konto:',
  leadFor: (host) => `Nach der Anmeldung kehrst du zurück zu ${host}.`,
  signedInAs: (name) => `Du bist angemeldet als ${name}.`,
  continue: 'Weiter',
  signedInTitle: 'Angemeldet',
  otherTab:
    'Schließe diesen Tab, kehre zu der Seite zurück, die nach der Anmeldung gefragt hat, und wiederhole dort die Aktion.',
  stayHere: 'Zu deinem Konto',

  lastUsed: 'Zuletzt benutzt',
  passkey: { use: 'Passkey verwenden', create: 'Neu hier? Passkey anlegen', add: 'Passkey hinzufügen' },
  otherWays: 'Weitere Möglichkeiten',
  back: 'Zurück',
  waiting: {
    wallet: (name) => `Warten auf ${name}`,
    walletHelp:
      'Bestätige die Anfrage in deiner Wallet. Wenn sich kein Fenster öffnet, klicke auf das Symbol der Wallet in der Leiste des Browsers.',
    passkey: 'Warten auf deinen Passkey',
    passkeyHelp: 'Folge den Anweisungen deines Browsers.',
    redirect: (name) => `Weiterleitung zu ${name}`,
    checking: 'Der Code wird geprüft',
  },

  kinds: {
    ServiceID: 'Passkey',
    EVMAddress: 'EVM-Wallet',
    SolanaAddress: 'Solana-Wallet',
    SeiAddress: 'Sei-Wallet',
    AptosAddress: 'Aptos-Wallet',
    InjectiveAddress: 'Injective-Wallet',
    FlowAddress: 'Flow-Wallet',
    Discord: 'Discord',
    Github: 'GitHub',
    Telegram: 'Telegram',
    Twitter: 'X',
    Email: 'E-Mail',
    openid: 'Konto',
    'quests:claim': 'Quests abschließen',
    mcp: 'KI-Programme',
  },

  wallet: {
    other: (kind) => `Andere ${kind}`,
    unnamed: 'Browser-Wallet',
    choose: (kind) => `Wähle deine ${kind}`,
    notFound: (kind) => `Keine ${kind} gefunden`,
    notFoundHelp:
      'Installiere eine Wallet-Erweiterung, oder schalte sie für diese Seite ein, und lade die Seite neu. Öffne diese Seite auf dem Telefon im Browser deiner Wallet-App.',
    look: 'Seite neu laden',
    apps: 'In deiner Wallet-App öffnen',
    openIn: (app) => `In ${app} öffnen`,
    appsHelp:
      'Die Seite öffnet sich im Browser der Wallet, und du meldest dich dort an. Wenn die App nicht installiert ist, führt der Link auf ihre Website.',
    noApps: 'Öffne diese Adresse im Browser deiner Wallet-App:',
    startInApp: (app) =>
      `Eine Anmeldung bleibt in dem Browser, in dem sie begonnen hat. Öffne ${app} im Browser deiner Wallet, und beginne dort.`,
    noWebsite: (app) =>
      `Eine Anmeldung bleibt in dem Browser, in dem sie begonnen hat. ${app} nennt keine Website. Öffne die App selbst im Browser deiner Wallet, und beginne dort.`,
    linkInApp:
      'Öffne diese Website im Browser deiner Wallet-App, melde dich dort bei diesem Konto an, und verknüpfe die Wallet.',
    qr: 'Auf dem Telefon öffnen',
    qrHelp: 'Scanne diesen Code mit der Kamera oder Wallet-App deines Telefons, um diese Seite dort zu öffnen.',
    onlyThisComputer:
      'Ein Telefon kann diese Seite nicht öffnen, weil ihre Adresse nur auf diesem Rechner gilt. Setze QUESTBOARD_PUBLIC_URL auf eine Adresse, die das Telefon erreicht.',
    qrLabel: (url) => `QR-Code für ${url}`,
  },

  email: {
    heading: 'Mit E-Mail anmelden',
    headingLink: 'E-Mail-Adresse verknüpfen',
    address: 'E-Mail-Adresse',
    send: 'Code senden',
    sent: (address) => `Wir haben einen Code an ${address} gesendet.`,
    code: 'Code',
    codeHelp: '13 Buchstaben und Ziffern. Groß- und Kleinschreibung, Leerzeichen und Bindestriche sind gleichgültig.',
    codeIncomplete: 'Gib alle 13 Buchstaben und Ziffern ein.',
    confirm: 'Weiter',
    again: 'Neuen Code senden',
    void: { title: 'Code nicht mehr gültig', text: 'Fordere einen neuen Code an.' },
    other: 'Andere Adresse verwenden',
  },

  faults: {
    rejected: {
      title: 'Anfrage abgebrochen',
      text: 'Es hat sich nichts geändert. Versuche es erneut, oder wähle eine andere Möglichkeit.',
    },
    suspended: { title: 'Konto gesperrt', text: 'Wende dich an den Betreiber dieses Dienstes.' },
    passkeyRejected: {
      title: 'Kein Passkey verwendet',
      text: 'Die Anfrage wurde abgebrochen, oder dieses Gerät hat keinen Passkey für diesen Dienst. Versuche es erneut, lege einen Passkey an, oder wähle eine andere Möglichkeit.',
    },
    passkeyExists: {
      title: 'Passkey schon verknüpft',
      text: 'Dieses Gerät hat einen Passkey, der mit deinem Konto verknüpft ist.',
    },
    passkeyUnsupported: {
      title: 'Passkeys nicht unterstützt',
      text: 'Dieser Browser kann hier keine Passkeys verwenden. Wähle eine andere Möglichkeit.',
    },
    wrongNetwork: {
      title: 'Falsches Netzwerk',
      text: (network) => `Stelle deine Wallet auf ${network} um und versuche es erneut.`,
    },
    noAccount: {
      title: 'Kein Konto in der Wallet',
      text: 'Entsperre deine Wallet, wähle ein Konto und versuche es erneut.',
    },
    noAnswer: { title: 'Wallet antwortet nicht', text: 'Entsperre deine Wallet, oder lade diese Seite neu.' },
    unsupported: {
      title: 'Wallet nicht unterstützt',
      text: 'Dieser Wallet fehlt eine Funktion, die für die Anmeldung nötig ist. Wähle eine andere Wallet.',
    },
    expired: { title: 'Anfrage abgelaufen', text: 'Anfragen gelten fünf Minuten. Versuche es erneut.' },
    taken: 'Schon mit einem anderen Konto verknüpft',
    tooMany: {
      title: 'Zu viele Versuche',
      text: 'Warte einige Minuten und versuche es dann erneut.',
      textIn: (minutes) =>
        plural(minutes, { one: 'Versuche es in # Minute erneut.', other: 'Versuche es in # Minuten erneut.' }),
    },
    unreachable: { title: 'Dienst nicht erreichbar', text: 'Prüfe deine Verbindung und versuche es erneut.' },
    otherAccount: {
      title: 'Konto in einem anderen Tab gewechselt',
      text: 'Du hast dich in einem anderen Tab an- oder abgemeldet. Diese Seite zeigt jetzt das aktuelle Konto.',
    },
    notFresh: {
      title: 'Erneut anmelden',
      text: 'Dafür musst du dich innerhalb der letzten Stunde angemeldet haben.',
    },
    refusedByProvider: {
      title: 'Zugriff verweigert',
      text: 'Die andere Seite hat den Zugriff nicht erteilt. Versuche es erneut, oder wähle eine andere Möglichkeit.',
    },
    refused: 'Etwas ist schiefgegangen',
  },
})
