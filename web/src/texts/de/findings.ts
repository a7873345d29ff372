import type { FindingCatalogue } from '../../../../server/src/texts/findings.ts'

const CONNECTIONS = 'Erhöhe den Wert, oder senke WORKERS oder QUESTBOARD_DATABASE_CONNECTIONS.'
const DISTRIBUTE = 'Das erledigt „{program} database distribute“.'
const NOT_DURABLE =
  'fsync ist {fsync} und synchronous_commit ist {commit}: Ein Absturz verliert Daten, die schon bestätigt sind.'
const MANUAL = 'Siehe docs/scale.md, „A distributed engine“.'
const MIGRATE = 'Der nächste Start wendet sie an, oder „{program} migrate“.'
const CLOCKS = 'Betreibe NTP auf beiden: Challenges, Token und Kontingente hängen von diesen Uhren ab.'
const KEYS =
  '„{program} keys status“ zählt sie auf. Stelle QUESTBOARD_SECRET oder die Datei „secret“ in QUESTBOARD_DATA_DIR wieder her, oder ergänze das alte Geheimnis in QUESTBOARD_OTHER_SECRETS. Alle Prozesse brauchen dieselben Geheimnisse.'
const RESTART =
  'Starte ihn neu, wenn dies das aktuelle Geheimnis ist. Sonst prüfe mit den Einstellungen des Dienstes noch einmal.'
const BEHIND = 'Ein laufender Prozess verwendet ein anderes ({processes|; }).'
const PROXY =
  'Richte den Proxy mit dem ganzen Pfad auf diesen Dienst, und verwende für alle Instanzen dieselbe QUESTBOARD_PUBLIC_URL.'
const MISSPELT = 'Berichtige den Namen, oder entferne die Variable.'

/** The messages of the checks in German. */
export const findings: FindingCatalogue = {
  texts: {
    'not-set': { says: '{setting} ist nicht gesetzt.' },
    'neither-set': { says: '{first} und {second} sind nicht gesetzt.' },

    'evm.off': { says: 'QUESTBOARD_EVM_RPC ist nicht gesetzt: Contract-Wallets können sich nicht anmelden.' },
    'aptos.off': {
      says: 'QUESTBOARD_APTOS_NODE ist nicht gesetzt: Schlüssel, die ein Konto ersetzt hat, gelten weiter.',
      advice: 'Setze QUESTBOARD_APTOS_NODE auf einen Full Node, oder verwende AptosAddress nicht produktiv.',
    },
    'chain.unreachable': { says: '{reason}', advice: 'Prüfe, ob der Knoten läuft und ob {setting} seine URL enthält.' },
    'chain.key-refused': { says: '{host} antwortet mit {status}.', advice: 'Prüfe den Schlüssel in {setting}.' },
    'chain.not-a-node': {
      says: '{host} antwortet mit {status}, anders als ein solcher Knoten.',
      advice: 'Prüfe {setting}.',
    },
    'chain.other': {
      says: '{host} ist auf der Chain {found}, nicht auf {expected}.',
      advice: 'Setze {setting} auf die URL eines Knotens der Chain {expected}.',
    },
    'chain.ok': { says: '{host} ist auf der Chain {expected}.' },

    'collector.unreachable': {
      says: '{reason}',
      advice: 'Prüfe OTEL_EXPORTER_OTLP_ENDPOINT: Verwende den Port für HTTP, oft 4318, nicht den für gRPC.',
    },
    'collector.refuses': {
      says: '{host} antwortet mit {status}.',
      advice: 'Prüfe OTEL_EXPORTER_OTLP_ENDPOINT und OTEL_EXPORTER_OTLP_HEADERS.',
    },
    'collector.ok': { says: '{host} nimmt Traces an.' },

    'database.not-created': { says: 'Das eingebettete PostgreSQL wird beim ersten Start in {folder} angelegt.' },
    'database.unusable': { says: 'Die Datenbank meldet: {reason}', advice: '{remedy}' },
    'database.version': {
      says: 'PostgreSQL {version} ({where}) wird nicht unterstützt.',
      advice: 'Verwende PostgreSQL {min} bis {max}.',
    },
    'database.ok': { says: 'PostgreSQL {version} ({where})' },

    'database.read-only': {
      says: 'Der Server lehnt Schreibzugriffe ab.',
      advice: 'DATABASE_URL muss den primären Server nennen, kein Replikat.',
    },
    'database.no-tables': {
      says: 'Der Datenbanknutzer darf keine Tabellen anlegen.',
      advice: 'GRANT CREATE ON SCHEMA public TO den Nutzer von DATABASE_URL.',
    },
    'database.encoding': {
      says: 'Die Zeichenkodierung ist {encoding}.',
      advice: 'Lege die Datenbank mit ENCODING UTF8 an.',
    },
    'database.isolation': {
      says: 'default_transaction_isolation ist {isolation}.',
      advice: 'Setze es auf read committed.',
    },
    'database.not-durable': { says: NOT_DURABLE, advice: 'Schalte beides ein.' },
    'database.not-durable-yet': { says: NOT_DURABLE, advice: 'Schalte beides ein, bevor der Dienst produktiv läuft.' },
    'database.connections': {
      says: 'max_connections ist {max}. Eine Instanz verwendet bis zu {needed}.',
      advice: CONNECTIONS,
    },
    'database.settings-ok': { says: 'UTF8, read committed, dauerhaft, {max} Verbindungen' },

    'migrations.ok': { says: 'Das Schema ist aktuell.' },
    'migrations.many': { says: 'Noch nicht angewendet: {count}', advice: MIGRATE },
    'migrations.some': { says: 'Noch nicht angewendet ({count}): {names}', advice: MIGRATE },
    'migrations.foreign': {
      says: 'Die Prüfung meldet: {reason}',
      advice: 'Starte die Version von Questboard, die zu dieser Datenbank gehört.',
    },

    'clock.ok': { says: 'Höchstens {milliseconds} ms Abstand zur Uhr der Datenbank' },
    'clock.ahead': { says: 'Die Uhr der Datenbank geht {seconds} Sekunden vor.', advice: CLOCKS },
    'clock.behind': { says: 'Die Uhr der Datenbank geht {seconds} Sekunden nach.', advice: CLOCKS },

    'distribution.interrupted': {
      says: 'Ein unterbrochener Lauf hat Fremdschlüssel entfernt ({count}): {keys}',
      advice: `Führe „{program} database distribute“ noch einmal aus, um fortzufahren, oder mit --restore-keys, wenn keine Tabelle verteilt ist. ${MANUAL}`,
    },
    'distribution.problems': { says: 'Die Prüfung meldet: {problems}', advice: MANUAL },
    'distribution.tables': { says: 'Nicht verteilt: {tables}', advice: DISTRIBUTE },
    'distribution.copies': {
      says: 'Der Koordinator hat noch Zeilen dieser Tabellen, die schon verschoben sind: {tables}',
      advice: DISTRIBUTE,
    },
    'distribution.separate': {
      says: 'Nicht zusammen mit Zeilen anderer Knoten gespeichert: {tables}',
      advice: DISTRIBUTE,
    },
    'distribution.functions': {
      says: 'Nur der Koordinator hat diese Funktionen: {functions}',
      advice: DISTRIBUTE,
    },
    'distribution.ok': { says: 'Alle Tabellen sind an ihrem Ort ({count}).' },

    'settings.missing': {
      says: '{setting} fehlt, obwohl das Gegenstück gesetzt ist. Diese Art der Anmeldung ist deshalb aus.',
      advice: 'Setze auch {setting}.',
    },
    'settings.unknown': { says: '{setting} ist keine Einstellung und hat keine Wirkung.', advice: MISSPELT },
    'settings.misspelt': {
      says: '{setting} ist keine Einstellung und hat keine Wirkung. {meant} ist eine.',
      advice: MISSPELT,
    },

    'keys.lost': { says: 'Mit einem anderen Geheimnis verschlüsselt: {values}', advice: KEYS },
    'keys.none': { says: 'Noch kein Geheimnis: Die Datei „secret“ wird beim ersten Start in {folder} angelegt.' },
    'keys.unread': { says: 'Geheimnis aus {source}. Verschlüsselte Werte wurden nicht gelesen.' },
    'keys.unused': { says: 'Geheimnis aus {source}. Noch keine verschlüsselten Werte.' },
    'keys.ok': { says: 'Geheimnis aus {source}. Es entschlüsselt: {values}' },
    'keys.unused-behind': {
      says: `Geheimnis aus {source}. Noch keine verschlüsselten Werte. ${BEHIND}`,
      advice: RESTART,
    },
    'keys.behind': { says: `Geheimnis aus {source}. Es entschlüsselt: {values}. ${BEHIND}`, advice: RESTART },
    'keys.unusable': { says: 'Die Prüfung meldet: {reason}', advice: KEYS },

    'mail.ok': { says: '{host} nimmt E-Mails an.' },
    'mail.refused': {
      says: '{host} lehnt den Nutzernamen oder das Passwort ab.',
      advice: 'Prüfe QUESTBOARD_SMTP_URL.',
    },
    'mail.unusable': {
      says: '{host} ist nicht nutzbar ({code}).',
      advice:
        'Prüfe QUESTBOARD_SMTP_URL: smtps:// für TLS von Anfang an (465), smtp:// für STARTTLS (587). Prüfe auch die Firewall.',
    },

    'nodes.off': {
      says: 'DATABASE_NODE_URLS ist ausgeschaltet. Der Koordinator führt deshalb alle Lesezugriffe aus.',
      advice: 'Entferne die Einstellung.',
    },
    'nodes.unknown-hash': {
      says: 'Dieser Cluster bildet Hashwerte auf unbekannte Weise. Der Koordinator führt deshalb alle Lesezugriffe aus.',
      advice: 'Verwende Server, die das niedrigste Byte einer Zahl zuerst speichern, etwa x86-64 und ARM.',
    },
    'node.connections': {
      says: 'max_connections ist {max}. Eine Instanz und der Koordinator verwenden bis zu {needed}.',
      advice: CONNECTIONS,
    },
    'node.ok': { says: 'Führt die Lesezugriffe auf seine Zeilen aus, {max} Verbindungen.' },
    'node.unreachable': {
      says: 'Der Koordinator führt die Lesezugriffe dieses Knotens aus. Die Verbindung meldet: {reason}',
      advice: 'Prüfe das Netzwerk, pg_hba.conf des Knotens und DATABASE_NODE_URLS.',
    },

    'replica.no-replica': {
      says: 'Der Server ist kein Replikat und bekommt deshalb keine Lesezugriffe.',
      advice: 'Nenne in DATABASE_READ_URLS nur Replikate mit Streaming.',
    },
    'replica.other': {
      says: 'Der Server folgt einer anderen Datenbank als DATABASE_URL oder liegt weit zurück. Er bekommt deshalb keine Lesezugriffe.',
      advice: 'Prüfe den Host und den Namen der Datenbank.',
    },
    'replica.disconnected': {
      says: 'Der Server ist nicht mit seinem primären Server verbunden. Er fällt deshalb zurück und bekommt keine Lesezugriffe.',
      advice:
        'Prüfe primary_conninfo und das Protokoll dieses Servers. Ein Passwort, ein Slot oder pg_hba.conf des primären Servers kann falsch sein.',
    },
    'replica.ok': { says: 'Folgt dem primären Server. Die letzte Transaktion ist {seconds} s alt.' },
    'replica.ok-new': { says: 'Folgt dem primären Server. Noch wurde keine Transaktion übernommen.' },
    'replica.unreachable': {
      says: 'Der primäre Server beantwortet die Abfragen. Die Verbindung meldet: {reason}',
      advice: 'Prüfe DATABASE_READ_URLS und den Server.',
    },

    'sign-in.no-provider': {
      says: '{issuer} ist kein OpenID-Provider.',
      advice: 'Prüfe QUESTBOARD_TELEGRAM_ISSUER.',
    },
    'sign-in.unreachable': {
      says: '{reason}',
      advice: 'Prüfe, ob dieser Rechner {host} erreichen darf, und prüfe {settings}.',
    },
    'sign-in.ok': { says: '{host} akzeptiert Client-ID und Secret.' },
    'sign-in.redirect-uri': { says: '{host} kennt unsere Redirect-URI nicht.', advice: 'Trage dort {uri} ein.' },
    'sign-in.client-refused': {
      says: '{host} lehnt die Client-ID oder das Secret ab.',
      advice: 'Prüfe {prefix}_CLIENT_ID und …_CLIENT_SECRET.',
    },
    'sign-in.not-a-token-endpoint': {
      says: '{host} antwortet mit {answer}, anders als ein Token-Endpunkt.',
      advice: 'Prüfe die URLs in {prefix}_… und den Zustand von {host}.',
    },
    'widget.domain': {
      says: '{host} kennt {domain} für diesen Bot nicht.',
      advice: 'Sende /setdomain {domain} an @BotFather.',
    },
    'widget.refused': {
      says: '{host} antwortet für diesen Bot mit {status}.',
      advice: 'Prüfe QUESTBOARD_TELEGRAM_BOT_TOKEN.',
    },
    'widget.ok': { says: '{host} kennt den Bot. Erst eine Anmeldung kann sein Token prüfen.' },

    'url.not-set': {
      says: 'QUESTBOARD_PUBLIC_URL ist nicht gesetzt: Seiten, Weiterleitungen und Wallets verwenden {issuer}.',
      advice: 'Setze sie auf die https-Adresse, die Nutzer sehen.',
    },
    'url.not-https': {
      says: '{issuer} ist nicht https: Passkeys und Wallets lehnen die Adresse ab, und Cookies sind nicht geschützt.',
      advice: 'Stelle einen Proxy davor, der TLS spricht, und setze QUESTBOARD_PUBLIC_URL auf dessen https-Adresse.',
    },
    'url.unreachable': {
      says: '{issuer} ist von hier nicht erreichbar: {reason}',
      advice: 'Starte den Dienst, oder prüfe den Proxy.',
    },
    'url.not-here': { says: '{issuer} antwortet mit {status} und ist nicht dieser Dienst.', advice: PROXY },
    'url.other-issuer': { says: '{issuer} hat den Issuer {found}.', advice: PROXY },
    'url.ok': { says: '{issuer} führt hierher.' },

    'proxies.none': { says: 'Keinem Proxy wird vertraut. Die Adresse der Verbindung steht für den Client.' },
    'proxies.missing': {
      says: 'Nutzer verbinden sich über https, also durch einen Proxy, aber keinem wird vertraut: Alle Clients teilen sich eine Adresse und deren Grenzen.',
      advice: 'Setze QUESTBOARD_TRUSTED_PROXIES auf die Adressen des Proxys.',
    },
    'proxies.everyone': {
      says: '{ranges} vertraut allen Clients. Diese können sich dann als jede Adresse ausgeben und alle Grenzen umgehen.',
      advice: 'Setze QUESTBOARD_TRUSTED_PROXIES nur auf die Adressen des Proxys.',
    },
    'proxies.ok': { says: 'X-Forwarded-For gilt von {ranges}.' },

    'statements.fail': {
      says: '{kind} schlägt fehl: {reason}',
      advice:
        'Wenn die Tabellen verteilt sind, siehe docs/scale.md, „A distributed engine“. Sonst vergleiche das Schema mit dem einer neuen Datenbank.',
    },
    'statements.ok': { says: 'Erfolgreich: {kinds}' },
  },
  parts: {
    'evm-entry': 'Eintrag {chain}= von QUESTBOARD_EVM_RPC',
    'embedded-server': 'eingebetteter Server',

    'reason.url': 'Die URL ist ungültig.',
    'reason.address': '{host} hat keine Adresse, die dieser Dienst abfragen darf.',
    'reason.name': 'Der Name {host} führt nirgendwohin ({detail}).',
    'reason.connection': 'Die Verbindung zu {host} ist fehlgeschlagen ({detail}).',
    'reason.certificate': 'Das Zertifikat von {host} wurde abgelehnt ({detail}).',
    'reason.redirect': '{host} leitet in unerlaubter Weise weiter.',
    'reason.time': '{host} hat nicht rechtzeitig geantwortet.',
    'reason.size': 'Die Antwort von {host} ist zu groß.',
    'reason.encoding': 'Die Antwort von {host} ist komprimiert, obwohl das nicht verlangt war.',

    'remedy.log': 'Siehe postgres.log in QUESTBOARD_DATA_DIR.',
    'remedy.server': 'Prüfe DATABASE_URL und den Server.',
    'remedy.missing-database': 'Lege sie zuerst an, etwa mit createdb, oder berichtige DATABASE_URL.',
    'remedy.missing-role': 'Lege zuerst die Rolle an, oder berichtige DATABASE_URL oder pg_hba.conf.',
    'remedy.password': 'Berichtige Nutzername oder Passwort in DATABASE_URL.',
    'remedy.read-only':
      'Warte, bis sie wieder Schreibzugriffe annimmt, oder setze DATABASE_URL auf den primären Server.',
    'remedy.disk-full': 'Schaffe Platz auf dem Datenträger der Datenbank.',
    'remedy.may-not-create': 'GRANT CREATE ON SCHEMA public TO den Nutzer von DATABASE_URL.',
    'remedy.no-password': 'Der Server verlangt ein Passwort: Ergänze es in DATABASE_URL, user:password@host.',
    'remedy.no-tls': 'Entferne sslmode aus DATABASE_URL, oder schalte ssl am Server ein.',
    'remedy.certificate': 'Nenne die CA in DATABASE_URL: sslrootcert=FILE. sslmode=no-verify vertraut jeder.',

    'sealed.signing-keys': 'Signaturschlüssel ({count})',
    'sealed.pairwise-keys': 'Schlüssel für Pseudonyme ({count})',
    'sealed.webhook-secrets': 'Webhook-Geheimnisse ({count})',
    'sealed.sources': 'Quellen ({count})',

    'process.local': 'auf diesem Rechner',
    'process.local-since': 'auf diesem Rechner, verbunden seit {since}',
    'process.remote': 'auf {address}',
    'process.remote-since': 'auf {address}, verbunden seit {since}',
  },
}
