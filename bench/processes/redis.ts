import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DATA_FOLDER } from '../data/cluster.ts'

/** A Redis of the row's own, which only this user reaches. */
export interface RedisProcess {
  /** Its Unix socket, as the embedded PostgreSQL has one. */
  socket: string
  pid: number
  /** Bytes of memory that its data take, and that the process has. */
  memory(): { data: number; resident: number }
  /** Runs redis-cli with `--pipe`, which takes commands in Redis's protocol on its standard input. */
  pipe(): ChildProcess
  /** Resolves when no rewrite or snapshot runs and none is due, so that none starts during the measurement. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts Redis in an empty folder.
 * @param keeps whether it keeps what is written: a log, synced every second, and snapshots, as its documentation
 * recommends for data as safe as in a database; otherwise it forgets all at its end
 */
export async function startRedis(program: string, name: string, keeps: boolean): Promise<RedisProcess> {
  const folder = join(DATA_FOLDER, `redis-${name}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  // The path of a socket may be 107 bytes long, a folder of data sets longer.
  const socketFolder = await mkdtemp(join(tmpdir(), 'questboard-redis-'))
  const socket = join(socketFolder, 'redis.sock')
  const settings = {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir: folder,
    save: keeps ? '3600 1 300 100 60 10000' : '',
    appendonly: keeps ? 'yes' : 'no',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
  }
  const args = Object.entries(settings).flatMap(([setting, value]) => [`--${setting}`, value])
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const cli = (...words: string[]) => execFileSync('redis-cli', ['-s', socket, ...words], { encoding: 'utf8' })
  const number = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(cli('info'))?.[1])
  await ready(child)
  return {
    socket,
    pid: child.pid ?? 0,
    memory: () => ({ data: number('used_memory'), resident: number('used_memory_rss') }),
    pipe: () => spawn('redis-cli', ['-s', socket, '--pipe'], { stdio: ['pipe', 'pipe', 'inherit'] }),
    async settled() {
      for (;;) {
        const busy = ['aof_rewrite_in_progress', 'rdb_bgsave_in_progress'].some((field) => number(field) !== 0)
        if (!busy && (!keeps || number('rdb_changes_since_last_save') === 0)) return
        if (!busy) cli('bgsave')
        await sleep(100)
      }
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
      await rm(folder, { recursive: true })
      await rm(socketFolder, { recursive: true })
    },
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (/ready to accept connections/i.test(printed)) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${printed}`)))
  })
}
