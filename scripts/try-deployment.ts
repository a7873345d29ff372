// Builds the image from deploy/Dockerfile, runs deploy/compose.yaml with it, and measures the image.
// `npm run test:deploy` then runs Prometheus and the command of the systemd unit.
// The base images are made from Debian's packages and the project's Node, so no image registry is needed. Everything
// is in a temporary folder, apart from the images and networks of the machine. Debian and root only.
import { once } from 'node:events'
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONTAINER_PROGRAMS, findMissing } from '../deploy/test/container-programs.ts'
import { canInstall, install } from './debian-packages.ts'

const MAX_IMAGE_BYTES = 250_000_000
const START_TIMEOUT = 300_000
const DEBIAN = 'http://deb.debian.org/debian'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

const root = join(import.meta.dirname, '..')
const deploy = join(root, 'deploy')
const folder = mkdtempSync(join(tmpdir(), 'questboard-deploy-'))
const project = 'questboard-try'
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  CONTAINERS_CONF: join(folder, 'containers.conf'),
}

function run(command: string, words: readonly string[], options: ExecFileSyncOptions = {}): string {
  const output = execFileSync(command, words, {
    ...{ cwd: folder, env: environment, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'pipe'] },
    ...options,
  })
  return output.toString().trim()
}

const findPrometheus = () => ['/usr/bin/prometheus'].find((path) => existsSync(path))

function check(fact: string, holds: boolean): void {
  if (!holds) throw new Error(`not so: ${fact}`)
  console.log(`ok  ${fact}`)
}

function prepareEngine(): void {
  const packages = Object.keys(CONTAINER_PROGRAMS)
  const find = () => (findMissing().length === 0 ? CONTAINER_PROGRAMS.podman : undefined)
  const failure = canInstall()
    ? install({ name: 'podman', packages, find }, 'for the deployment files')
    : 'This command needs Debian, and root.'
  if (failure !== undefined) throw new Error(failure)
  // For prometheus.test.ts. With systemd, the package would start Prometheus on port 9090.
  const prometheus = { name: 'Prometheus', packages: ['prometheus'], find: findPrometheus }
  if (canInstall() && !existsSync('/run/systemd/system')) install(prometheus, 'for the alert rules')
  const storage = ['driver = "overlay"', `graphroot = "${folder}/storage"`, `runroot = "${folder}/run"`]
  writeFileSync(join(folder, 'storage.conf'), ['[storage]', ...storage].join('\n'))
  // runc also runs where both versions of cgroups are mounted.
  const network = ['[network]', 'network_backend = "netavark"', `network_config_dir = "${folder}/networks"`]
  const limits = ['[containers]', 'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]']
  writeFileSync(join(folder, 'containers.conf'), [...limits, '[engine]', 'runtime = "runc"', ...network].join('\n'))
}

/** The archive of Debian does not contain them. */
const APT_FOLDERS = 'RUN mkdir -p /var/cache/apt/archives/partial /var/lib/apt/lists/partial /var/log'

/** Substitutes for the images that the deployment files name, under the same names. */
function makeBaseImages(): void {
  const cache = join(root, 'node_modules', '.cache', 'questboard-deploy')
  const archive = join(cache, 'bookworm-slim.tar')
  if (!existsSync(archive)) {
    const system = join(folder, 'system')
    run('debootstrap', ['--variant=minbase', 'bookworm', system, DEBIAN])
    const unneeded = ['usr/share/doc', 'usr/share/man', 'usr/share/info', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists', 'var/log'] // prettier-ignore
    for (const path of unneeded) rmSync(join(system, path), { recursive: true })
    mkdirSync(cache, { recursive: true })
    run('tar', ['-C', system, '-cf', `${archive}.new`, '.'])
    run('mv', [`${archive}.new`, archive])
  }
  run('podman', ['import', '--quiet', archive, 'docker.io/library/debian:bookworm-slim'])

  const node = join(folder, 'node')
  mkdirSync(join(node, 'usr/local/bin'), { recursive: true })
  mkdirSync(join(node, 'etc/ssl/certs'), { recursive: true })
  copyFileSync(process.execPath, join(node, 'usr/local/bin/node'))
  // Where this machine reaches its registry through a proxy, its certificates count in the build, too.
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(node, CERTIFICATES))
  run('npm', ['install', '--silent', '--global', '--prefix', join(node, 'usr/local'), 'npm@11'])
  const registry = run('npm', ['config', 'get', 'registry'])
  buildImage('node:24-bookworm-slim', node, [
    'FROM debian:bookworm-slim',
    APT_FOLDERS,
    'COPY usr /usr',
    'COPY etc /etc',
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES} npm_config_registry=${registry}`,
  ])

  const postgres = join(folder, 'postgres')
  mkdirSync(postgres)
  writeFileSync(join(postgres, 'entry.sh'), POSTGRES_ENTRY, { mode: 0o755 })
  buildImage('postgres:18', postgres, [
    'FROM debian:bookworm-slim',
    APT_FOLDERS,
    'RUN mkdir -p /usr/share/man/man1 /usr/share/man/man7',
    'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-15 && rm -rf /var/lib/postgresql/*',
    'COPY entry.sh /entry.sh',
    'ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'VOLUME /var/lib/postgresql',
    'ENTRYPOINT ["/entry.sh"]',
    'CMD ["postgres"]',
  ])
}

/** Reads the variables that compose.yaml sets, as the entry point of PostgreSQL's own image does. */
const POSTGRES_ENTRY = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
plain() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s $data/PG_VERSION ]; then
  mkdir -p $data && chown -R postgres:postgres /var/lib/postgresql
  cp "$POSTGRES_PASSWORD_FILE" /tmp/password && chmod 644 /tmp/password
  plain initdb -D $data --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "CREATE DATABASE \\"$POSTGRES_DB\\"" | plain postgres --single -D $data postgres
fi
shift
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -D $data -c listen_addresses='*' "$@"
`

function buildImage(name: string, context: string, dockerfile: readonly string[]): void {
  writeFileSync(join(context, 'Dockerfile'), dockerfile.join('\n'))
  run('buildah', ['bud', '--network=host', '--tag', `docker.io/library/${name}`, context])
}

function buildQuestboard(): void {
  const words = ['--file', join(deploy, 'Dockerfile'), '--ignorefile', join(deploy, 'Dockerfile.dockerignore')]
  // Docker's own format, for the other one has no HEALTHCHECK.
  run('buildah', ['bud', '--network=host', '--format=docker', ...words, '--tag', 'questboard', root])
  const bytes = Number(run('podman', ['image', 'inspect', '--format={{.Size}}', 'questboard']))
  check(`the image is under ${MAX_IMAGE_BYTES / 1e6} MB: ${Math.round(bytes / 1e6)} MB`, bytes < MAX_IMAGE_BYTES)
}

async function runCompose(): Promise<void> {
  const place = join(folder, 'checkout', 'deploy')
  mkdirSync(place, { recursive: true })
  const port = await freePort()
  const file = readFileSync(join(deploy, 'compose.yaml'), 'utf8')
  writeFileSync(join(place, 'compose.yaml'), file.replace('127.0.0.1:4000:', `127.0.0.1:${port}:`))
  const commands = [...(/^(#.*\n)+/.exec(file)?.[0] ?? '').matchAll(/^# {3}(.*?)(?: {2,}#.*)?$/gm)]
  const making = commands.map(([, command = '']) => command).filter((command) => !command.startsWith('docker'))
  run('sh', ['-ec', making.join('\n')], { cwd: join(place, '..') })
  cpSync(join(root, 'docs/examples'), join(folder, 'examples'), { recursive: true })

  // podman-compose 1.0 leaves out the addresses of a network.
  const [, subnet = ''] = /subnet: (\S+)/.exec(file) ?? []
  run('podman', ['network', 'create', '--subnet', subnet, `${project}_default`])
  const compose = (...words: string[]) => run('podman-compose', ['--project-name', project, ...words], { cwd: place })
  const [service, database] = [`${project}_questboard_1`, `${project}_postgres_1`]
  const shown = `podman ps --all; for name in ${service} ${database}; do podman logs --tail=20 $name; done 2>&1`
  try {
    compose('up', '--detach')
    // podman-compose 1.0 succeeds when a container does not start. A second start does nothing, or says why.
    for (const name of [database, service]) run('podman', ['start', name])
    const url = `http://127.0.0.1:${port}`
    for (const since = Date.now(); !(await isReady(url)); await sleep(500))
      if (Date.now() - since > START_TIMEOUT) throw new Error(`it is not ready: ${run('sh', ['-c', shown])}`)
    check('compose.yaml starts the service and its database', true)
    run('podman', ['healthcheck', 'run', database])
    run('podman', ['healthcheck', 'run', service])
    check('both are healthy by their own checks', true)

    const inside = (words: readonly string[], options: ExecFileSyncOptions = {}) =>
      run('podman', ['exec', '--interactive', service, ...words], options)
    check('the service is a plain user', inside(['id', '-u']) === '1000')
    check('it has no capability', /^CapEff:\s+0+$/m.test(inside(['cat', '/proc/self/status'])))
    check('it can write nowhere', inside(['sh', '-c', 'touch /app/x /etc/x 2>&1 || true']).includes('Read-only file'))
    check('doctor finds no problem', inside(['questboard', 'doctor']).includes('No problems.'))
    const input = readFileSync(join(folder, 'examples/import/spaces.csv'))
    check('an import from standard input works', inside(['questboard', 'import', '-', '--kind', 'spaces'], { input }) !== '') // prettier-ignore
    for (const path of ['/', '/docs', '/docs/typescript-client', '/schema.graphql', '/account'])
      check(`${path} is served`, (await fetch(url + path)).status === 200)

    run('podman', ['stop', '--time=20', service])
    const status = run('podman', ['inspect', '--format={{.State.ExitCode}}', service])
    check('it stops at SIGTERM with status 0', status === '0')
  } finally {
    compose('down', '--volumes')
    run('podman', ['network', 'rm', '--force', `${project}_default`])
  }
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

try {
  prepareEngine()
  makeBaseImages()
  buildQuestboard()
  await runCompose()
} catch (error) {
  const { message, stdout, stderr } = error as Error & { stdout?: Buffer; stderr?: Buffer }
  for (const text of [message, stdout, stderr]) console.error(text?.toString().slice(-4_000) ?? '')
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
