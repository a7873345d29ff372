import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSigned } from './certificate.ts'

const SITE = join(import.meta.dirname, '../nginx.conf')

/** An installed nginx: NGINX_PATH, otherwise a usual path. */
export function findNginx(): string | undefined {
  const named = process.env.NGINX_PATH
  return [...(named ? [named] : []), '/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find(
    (path) => existsSync(path),
  )
}

export interface RunningNginx {
  httpPort: number
  httpsPort: number
  /** The certificate of the server. */
  certificate: string
  stop(): Promise<void>
}

/**
 * The configuration with other ports, certificate and upstream.
 * @param change changes it further; `folder` is for files of nginx
 */
export async function startNginx(
  nginx: string,
  servicePorts: readonly number[],
  change: (site: string, folder: string) => string = (site) => site,
): Promise<RunningNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-nginx-'))
  await mkdir(join(folder, 'temporary'))
  const [key, pem] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const { key: privateKey, certificate } = selfSigned('quests.example.org')
  await writeFile(key, privateKey, { mode: 0o600 })
  await writeFile(pem, certificate)
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const site = replaceEach(await readFile(SITE, 'utf8'), [
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${httpsPort} ssl`],
    ['/etc/ssl/quests.pem', pem],
    ['/etc/ssl/quests.key', key],
    ['server 127.0.0.1:4000 max_fails', servicePorts.map((port) => `server 127.0.0.1:${port} max_fails`).join('=0; ')],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temporary/${name};`)
    .join(' ')
  const config = join(folder, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
     ${process.getuid?.() === 0 ? 'user root;' : ''}
     events { } http { access_log off; ${temporary} ${change(site, folder)} }`,
  )
  const child = spawn(nginx, ['-p', folder, '-c', config, '-e', `${folder}/error.log`], { stdio: 'pipe' })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  const ended = once(child, 'exit')
  while (!(await fetch(`http://127.0.0.1:${httpPort}/`, { redirect: 'manual' }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${complaints}`)
    await sleep(20)
  }
  return {
    httpPort,
    httpsPort,
    certificate,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function replaceEach(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`deploy/nginx.conf has no "${from}"`)
    return changed.replaceAll(from, to)
  }, text)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
