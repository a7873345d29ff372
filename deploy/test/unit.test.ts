import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import { QUICK, start, type Started, startRelay } from './started.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const unit = readFileSync(join(CHECKOUT, 'deploy/questboard.service'), 'utf8')
const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

const UNSHARE = ['--mount', '--ipc', '--uts']
const hasNamespaces =
  process.getuid?.() === 0 && spawnSync('unshare', [...UNSHARE, 'setpriv', '--version']).status === 0
if (!hasNamespaces)
  process.stderr.write('questboard.service is not run in namespaces: that needs Linux, root, unshare and setpriv.\n')

/**
 * Replaces systemd: folders and credentials of the unit, a read-only file system, a user without capabilities and
 * without new privileges. It does not filter system calls.
 */
const SANDBOX = `
set -eu
mount --make-rprivate /
for folder in opt var/lib var/cache tmp home root; do mkdir -p "$STAGE/$folder"; done
mkdir -p "$STAGE/opt/questboard" "$STAGE/var/lib/questboard" "$STAGE/var/cache/questboard"
mount --bind "$CHECKOUT" "$STAGE/opt/questboard"
chown 65534:65534 "$STAGE/var/lib/questboard" "$STAGE/var/cache/questboard"
chmod 1777 "$STAGE/tmp"
chmod 700 "$STAGE/root"
mount --bind / /mnt
mount -o remount,bind,ro /mnt
for folder in opt var/lib var/cache home root; do mount --rbind "$STAGE/$folder" "/mnt/$folder"; done
mount -o remount,bind,ro /mnt/opt/questboard
mount --rbind /dev /mnt/dev
mount -t proc proc /mnt/proc
mount --bind "$STAGE/tmp" /mnt/tmp
mkdir -p /mnt/tmp/credentials
cp "$CREDENTIALS"/* /mnt/tmp/credentials
chown -R 65534:65534 /mnt/tmp/credentials
chmod 500 /mnt/tmp/credentials
umask "$MASK"
exec chroot /mnt setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
  sh -c 'for path in / /etc /opt/questboard /usr/local/bin; do ! touch "$path/written" 2>/dev/null || exit 3; done
    cd "$0" && exec "$@"' "$@"
`

describe.skipIf(!hasNamespaces)('questboard.service in namespaces', () => {
  let folder: string
  let database: TestDatabase
  let relay: Awaited<ReturnType<typeof startRelay>>
  let service: Started

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'questboard-unit-'))
    database = await createTestDatabase()
    relay = await startRelay()
    const files = { 'database-url': relay.url(database), secret: 'a secret of at least thirty-two characters' }
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(credentials, name), text, { mode: 0o600 })
    const here = (text: string) => text.replaceAll('%d', '/tmp/credentials')
    const environment = values('Environment').map((line) => here(line).split('=') as [string, string])
    const [command = '', ...words] = (values('ExecStart')[0] ?? '').split(' ')
    const stage = join(folder, 'stage')
    const sandbox = ['sh', '-c', SANDBOX, 'sandbox', values('WorkingDirectory')[0] ?? '', command, ...words]
    service = await start('unshare', [...UNSHARE, ...sandbox], {
      env: {
        PATH: process.env.PATH,
        ...{ CHECKOUT, STAGE: stage, CREDENTIALS: credentials, MASK: values('UMask')[0] ?? '' },
        ...{ PORT: '0', WORKERS: QUICK.WORKERS, QUESTBOARD_STOP_NOTICE_SECONDS: '0' },
        ...Object.fromEntries(environment),
      },
    })
  })
  afterAll(async () => {
    relay?.server.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('starts as an unprivileged user on a file system that is read-only except for its folders', async () => {
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    for (const path of ['/', '/docs', '/schema.graphql']) expect((await fetch(service.url + path)).status).toBe(200)
  })

  it('stops at SIGTERM with status 0', async () => {
    expect(await service.terminate()).toBe(0)
  })
})
