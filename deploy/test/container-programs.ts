import { existsSync } from 'node:fs'

/** The programs that scripts/try-deployment.ts needs, by their Debian packages. podman only recommends the last four. */
export const CONTAINER_PROGRAMS = {
  buildah: '/usr/bin/buildah',
  podman: '/usr/bin/podman',
  'podman-compose': '/usr/bin/podman-compose',
  debootstrap: '/usr/sbin/debootstrap',
  runc: '/usr/bin/runc',
  netavark: '/usr/lib/podman/netavark',
  'aardvark-dns': '/usr/lib/podman/aardvark-dns',
  iptables: '/usr/sbin/iptables',
}

/** The packages that are not installed. */
export function findMissing(): string[] {
  return Object.entries(CONTAINER_PROGRAMS).flatMap(([name, path]) => (existsSync(path) ? [] : [name]))
}
