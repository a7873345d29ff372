/**
 * The texts of one finding of `questboard doctor`, which the page Health shows too. `{name}` is replaced by a parameter,
 * `{name|; }` by parts with `; ` between them.
 */
export interface FindingText {
  says: string
  advice?: string
}

/** A part of a text that has its own translation. `text` is the English one. */
export interface FindingPart {
  code: PartCode
  parameters: Record<string, string | number>
}

export type FindingValue = string | number | FindingPart[]

/** The message of a finding, which a page translates. */
export interface FindingMessage {
  code: FindingCode
  parameters: Record<string, FindingValue>
}

const CONNECTIONS = 'Raise it, or lower WORKERS or QUESTBOARD_DATABASE_CONNECTIONS.'
const DISTRIBUTE = '`questboard database distribute` does that.'
const NO_PUBLIC_URL = 'QUESTBOARD_PUBLIC_URL is not set: pages, redirects and wallets use {issuer}'
const HTTPS_ADDRESS = 'Set it to the https address that users see.'
const NOT_DURABLE = 'fsync is {fsync} and synchronous_commit is {commit}: a crash loses acknowledged data'
const MANUAL = 'See docs/scale.md, "A distributed engine".'
const KEYS =
  '`questboard keys status` lists them. Restore QUESTBOARD_SECRET or the file "secret" in QUESTBOARD_DATA_DIR, or add the old secret to QUESTBOARD_OTHER_SECRETS. All processes need the same secrets.'
const RESTART = 'Restart it if this is the current secret; otherwise run this command with the settings of the service.'
const BEHIND = 'a running process uses another one ({processes|; })'

export const findingTexts = {
  'not-set': { says: '{setting} is not set' },
  'neither-set': { says: '{first} and {second} are not set' },

  'evm.off': { says: 'QUESTBOARD_EVM_RPC is not set: contract wallets cannot sign in' },
  'aptos.off': {
    says: 'QUESTBOARD_APTOS_NODE is not set: keys that an account has replaced are still accepted',
    advice: 'Set QUESTBOARD_APTOS_NODE to a full node, or do not use AptosAddress in production.',
  },
  'chain.unreachable': { says: '{reason}', advice: 'Check that the node runs and that {setting} has its URL.' },
  'chain.key-refused': { says: '{host} responds with {status}', advice: 'Check the key in {setting}.' },
  'chain.not-a-node': { says: '{host} responds with {status}, unlike such a node', advice: 'Check {setting}.' },
  'chain.other': {
    says: '{host} is on chain {found}, not {expected}',
    advice: 'Set {setting} to the URL of a node of chain {expected}.',
  },
  'chain.ok': { says: '{host} is on chain {expected}' },

  'collector.unreachable': {
    says: '{reason}',
    advice: 'Check OTEL_EXPORTER_OTLP_ENDPOINT: use the HTTP port, often 4318, not the gRPC port.',
  },
  'collector.refuses': {
    says: '{host} answers {status}',
    advice: 'Check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.',
  },
  'collector.ok': { says: '{host} takes traces' },

  'database.not-created': { says: 'the embedded PostgreSQL is created in {folder} at the first start' },
  'database.unusable': { says: '{reason}', advice: '{remedy}' },
  'database.version': {
    says: 'PostgreSQL {version} at {where} is not supported',
    advice: 'Use PostgreSQL {min} to {max}.',
  },
  'database.ok': { says: 'PostgreSQL {version} at {where}' },

  'database.read-only': {
    says: 'the server rejects writes',
    advice: 'DATABASE_URL must name the primary, not a replica.',
  },
  'database.no-tables': {
    says: 'the user may not create tables',
    advice: 'GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL.',
  },
  'database.encoding': {
    says: 'the encoding is {encoding}',
    advice: 'Create the database with ENCODING UTF8.',
  },
  'database.isolation': {
    says: 'default_transaction_isolation is {isolation}',
    advice: 'Set it to read committed.',
  },
  'database.not-durable': { says: NOT_DURABLE, advice: 'Turn both on.' },
  'database.not-durable-yet': { says: NOT_DURABLE, advice: 'Turn both on in production.' },
  'database.connections': {
    says: 'max_connections is {max}; one instance uses up to {needed}',
    advice: CONNECTIONS,
  },
  'database.settings-ok': { says: 'UTF8, read committed, durable, {max} connections' },

  'migrations.ok': { says: 'the schema is up to date' },
  'migrations.many': {
    says: '{count} are to be applied',
    advice: 'The next start applies them, or `questboard migrate`.',
  },
  'migrations.some': {
    says: '{count} are to be applied: {names}',
    advice: 'The next start applies them, or `questboard migrate`.',
  },
  'migrations.foreign': {
    says: '{reason}',
    advice: 'Run the version of Questboard that belongs to this database.',
  },

  'clock.ok': { says: "within {milliseconds} ms of the database's" },
  'clock.ahead': {
    says: "the database's clock is {seconds} seconds ahead",
    advice: 'Run NTP on both: challenges, tokens and quotas depend on these clocks.',
  },
  'clock.behind': {
    says: "the database's clock is {seconds} seconds behind",
    advice: 'Run NTP on both: challenges, tokens and quotas depend on these clocks.',
  },

  'distribution.interrupted': {
    says: 'an interrupted run has dropped {count} foreign keys: {keys}',
    advice: `Run \`questboard database distribute\` again to continue, or with --restore-keys if no table is distributed. ${MANUAL}`,
  },
  'distribution.problems': { says: '{problems}', advice: MANUAL },
  'distribution.tables': { says: 'not distributed: {tables}', advice: DISTRIBUTE },
  'distribution.copies': { says: 'the coordinator still has moved rows of {tables}', advice: DISTRIBUTE },
  'distribution.separate': {
    says: 'not committed together with rows of other nodes: {tables}',
    advice: DISTRIBUTE,
  },
  'distribution.functions': { says: 'only the coordinator has the functions {functions}', advice: DISTRIBUTE },
  'distribution.ok': { says: '{count} tables have their placement' },

  'settings.missing': {
    says: '{setting} is missing although its counterpart is set, so the kind is off',
    advice: 'Set {setting} too.',
  },
  'settings.unknown': {
    says: '{setting} is not a setting and has no effect',
    advice: 'Correct the name, or remove the variable.',
  },
  'settings.misspelt': {
    says: '{setting} is not a setting and has no effect; {meant} is one',
    advice: 'Correct the name, or remove the variable.',
  },

  'keys.lost': { says: 'encrypted with another secret: {values}', advice: KEYS },
  'keys.none': { says: 'no secret yet: the file "secret" is created in {folder} at the first start' },
  'keys.unread': { says: 'secret from {source}; encrypted values were not read' },
  'keys.unused': { says: 'secret from {source}; no encrypted values yet' },
  'keys.ok': { says: 'secret from {source}; it decrypts {values}' },
  'keys.unused-behind': { says: `secret from {source}; no encrypted values yet; ${BEHIND}`, advice: RESTART },
  'keys.behind': { says: `secret from {source}; it decrypts {values}; ${BEHIND}`, advice: RESTART },
  'keys.unusable': { says: '{reason}', advice: KEYS },

  'mail.ok': { says: '{host} accepts mail' },
  'mail.refused': { says: '{host} rejects the user or password', advice: 'Check QUESTBOARD_SMTP_URL.' },
  'mail.unusable': {
    says: '{host} cannot be used ({code})',
    advice:
      'Check QUESTBOARD_SMTP_URL: smtps:// for TLS from the start (465), smtp:// for STARTTLS (587); and the firewall.',
  },

  'nodes.off': {
    says: 'DATABASE_NODE_URLS is off, so the coordinator executes all reads',
    advice: 'Remove the setting.',
  },
  'nodes.unknown-hash': {
    says: 'this cluster hashes values in an unknown way, so the coordinator executes all reads',
    advice: 'Use servers that store the lowest byte of a number first, such as x86-64 and ARM.',
  },
  'node.connections': {
    says: 'max_connections is {max}; one instance and the coordinator use up to {needed}',
    advice: CONNECTIONS,
  },
  'node.ok': { says: 'executes the reads of its rows, {max} connections' },
  'node.unreachable': {
    says: '{reason}; the coordinator executes its reads',
    advice: 'Check the network, pg_hba.conf of the node, and DATABASE_NODE_URLS.',
  },

  'replica.no-replica': {
    says: 'the server is not a replica, so it gets no reads',
    advice: 'Name only streaming replicas in DATABASE_READ_URLS.',
  },
  'replica.other': {
    says: 'the server follows another installation than DATABASE_URL, or is far behind it, so it gets no reads',
    advice: 'Check the host and the name of the database.',
  },
  'replica.disconnected': {
    says: 'the server is not connected to its primary, so it falls behind and gets no reads',
    advice: "Check its primary_conninfo and its log; a password, a slot or the primary's pg_hba.conf may be wrong.",
  },
  'replica.ok': { says: 'follows its primary; its last transaction is {seconds} s old' },
  'replica.ok-new': { says: 'follows its primary; it has replayed nothing yet' },
  'replica.unreachable': {
    says: '{reason}; the primary serves the queries',
    advice: 'Check DATABASE_READ_URLS and the server.',
  },

  'sign-in.no-provider': {
    says: '{issuer} is not an OpenID provider',
    advice: 'Check QUESTBOARD_TELEGRAM_ISSUER.',
  },
  'sign-in.unreachable': {
    says: '{reason}',
    advice: 'Check that this machine may reach {host}, and {settings}.',
  },
  'sign-in.ok': { says: '{host} accepts the client id and secret' },
  'sign-in.redirect-uri': { says: '{host} does not know our redirect URI', advice: 'Register {uri} there.' },
  'sign-in.client-refused': {
    says: '{host} rejects the client id or secret',
    advice: 'Check {prefix}_CLIENT_ID and …_CLIENT_SECRET.',
  },
  'sign-in.not-a-token-endpoint': {
    says: '{host} responds with {answer}, unlike a token endpoint',
    advice: 'Check the URLs in {prefix}_…, and the status of {host}.',
  },
  'widget.domain': {
    says: '{host} does not know {domain} for this bot',
    advice: 'Send /setdomain {domain} to @BotFather.',
  },
  'widget.refused': {
    says: '{host} responds with {status} for this bot',
    advice: 'Check QUESTBOARD_TELEGRAM_BOT_TOKEN.',
  },
  'widget.ok': { says: '{host} knows the bot; only a sign-in can verify its token' },

  'url.not-set': { says: NO_PUBLIC_URL, advice: HTTPS_ADDRESS },
  'url.not-https': {
    says: '{issuer} is not https: passkeys and wallets refuse it, and cookies are not protected',
    advice: 'Put a proxy that speaks TLS in front and set QUESTBOARD_PUBLIC_URL to its https address.',
  },
  'url.unreachable': {
    says: '{issuer} is unreachable from here: {reason}',
    advice: 'Start the service, or check the proxy.',
  },
  'url.not-here': {
    says: '{issuer} responds with {status} and is not this service',
    advice:
      'Point the proxy at this service, with the whole path, and use the same QUESTBOARD_PUBLIC_URL for all instances.',
  },
  'url.other-issuer': {
    says: '{issuer} has the issuer {found}',
    advice:
      'Point the proxy at this service, with the whole path, and use the same QUESTBOARD_PUBLIC_URL for all instances.',
  },
  'url.ok': { says: '{issuer} leads here' },

  'proxies.none': { says: 'no proxy is trusted; the address of the connection identifies a client' },
  'proxies.missing': {
    says: 'users connect by https, so through a proxy, but no proxy is trusted: all clients share one address and its limits',
    advice: 'Set QUESTBOARD_TRUSTED_PROXIES to the addresses of the proxy.',
  },
  'proxies.everyone': {
    says: '{ranges} trusts all clients, which can then claim any address and bypass all limits',
    advice: 'Set QUESTBOARD_TRUSTED_PROXIES to only the addresses of the proxy.',
  },
  'proxies.ok': { says: 'X-Forwarded-For is trusted from {ranges}' },

  'statements.fail': {
    says: '{kind} fails: {reason}',
    advice:
      'If the tables are distributed, see docs/scale.md, "A distributed engine". Otherwise compare the schema with a new installation.',
  },
  'statements.ok': { says: '{kinds} work' },
} as const satisfies Record<string, FindingText>

export type FindingCode = keyof typeof findingTexts

/** The parts of findings in English. Most are texts of other modules. */
export const partTexts = {
  'evm-entry': 'the entry {chain}= of QUESTBOARD_EVM_RPC',
  'embedded-server': 'the embedded server',

  'reason.url': '{text}',
  'reason.address': '{text}',
  'reason.name': '{text}',
  'reason.connection': '{text}',
  'reason.certificate': '{text}',
  'reason.redirect': '{text}',
  'reason.time': '{text}',
  'reason.size': '{text}',
  'reason.encoding': '{text}',

  'remedy.log': 'See postgres.log in QUESTBOARD_DATA_DIR.',
  'remedy.server': 'Check DATABASE_URL and the server.',
  'remedy.missing-database': '{text}',
  'remedy.missing-role': '{text}',
  'remedy.password': '{text}',
  'remedy.read-only': '{text}',
  'remedy.disk-full': '{text}',
  'remedy.may-not-create': '{text}',
  'remedy.no-password': '{text}',
  'remedy.no-tls': '{text}',
  'remedy.certificate': '{text}',

  'sealed.signing-keys': '{text}',
  'sealed.pairwise-keys': '{text}',
  'sealed.webhook-secrets': '{text}',
  'sealed.sources': '{text}',

  'process.local': '{text}',
  'process.local-since': '{text}',
  'process.remote': '{text}',
  'process.remote-since': '{text}',
} as const satisfies Record<string, string>

export type PartCode = keyof typeof partTexts

export interface FindingCatalogue {
  texts: Readonly<Record<FindingCode, FindingText>>
  parts: Readonly<Record<PartCode, string>>
}

const PLACE = /\{(\w+)(?:\|([^}]*))?\}/g

export function describeFinding(
  { code, parameters }: FindingMessage,
  { texts, parts }: FindingCatalogue,
): { says: string; advice: string | undefined } {
  const { says, advice } = texts[code]
  const show = (value: FindingValue | undefined, separator: string): string =>
    Array.isArray(value)
      ? value.map((part) => fill(parts[part.code], part.parameters)).join(separator)
      : String(value ?? '')
  const fill = (template: string, values: Record<string, FindingValue>) =>
    template.replace(PLACE, (_, name: string, separator = ', ') => show(values[name], separator as string))
  return { says: fill(says, parameters), advice: advice === undefined ? undefined : fill(advice, parameters) }
}
