import { execFile } from 'node:child_process'
import { chown, mkdtemp, open, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const PAGE = 4_096
const MIN_PIECE_BYTES = 1_000_000
const MAX_PIECES = 20

/** A separate file system that a test can fill. */
export interface SmallDisk {
  folder: string
  /** Uses all free space. */
  fill(): Promise<void>
  /** Frees it again. */
  free(): Promise<void>
  remove(): Promise<void>
}

/** Mounts one in memory. Returns the reason if that is not possible: only root can mount, and not in every container. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | string> {
  if (process.platform !== 'linux') return `no file systems in memory on ${process.platform}`
  if (process.getuid?.() !== 0) return 'only root may mount a small disk'
  const folder = await mkdtemp(join(tmpdir(), 'questboard-disk-'))
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]).then(
    () => undefined,
    (error: Error & { stderr?: string }) => `a small disk cannot be mounted: ${(error.stderr ?? error.message).trim()}`,
  )
  if (mounted !== undefined) {
    await rm(folder, { recursive: true })
    return mounted
  }
  const ballast = join(folder, 'ballast')
  return {
    folder,
    async fill() {
      // Other processes write at the same time, so this writes large pieces first, then single pages.
      let taken = 0
      for (let piece = 0; piece < MAX_PIECES; piece++) {
        const { bavail, bsize } = await statfs(folder)
        const length = Math.floor(bavail * 0.9) * bsize
        if (length < MIN_PIECE_BYTES) break
        taken += await run('fallocate', ['-o', String(taken), '-l', String(length), ballast]).then(
          () => length,
          () => 0, // Another process used the space.
        )
      }
      const file = await open(ballast, 'a')
      try {
        while (await wrote(file.write(Buffer.alloc(PAGE)).then(({ bytesWritten }) => bytesWritten === PAGE)));
      } finally {
        await file.close()
      }
    },
    free: () => rm(ballast, { force: true }),
    async remove() {
      await run('umount', ['--lazy', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Gives a folder the owner of `as`, for example the user of the server with this socket. */
export async function giveTo(folder: string, as: string): Promise<void> {
  const { uid, gid } = await stat(as)
  await chown(folder, uid, gid)
}

async function wrote(writing: Promise<boolean>): Promise<boolean> {
  return writing.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error
    return false
  })
}
