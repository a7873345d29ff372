import { findPython, PYTHON_PACKAGES } from '../clients/python/test/find-python.ts'
import { findNginx } from '../deploy/test/nginx.ts'
import { findGraphqlCore } from '../server/test/graphql/schema/find-graphql-core.ts'
import { findJq } from '../server/test/support/jq.ts'
import { findChromium } from '../web/test/chromium.ts'
import type { Program } from './debian-packages.ts'

/** Programs of tests, which `npm test` installs as root on Debian. */
export const testPrograms: (Program & { startsWithSystemd?: boolean })[] = [
  { name: 'Chromium', packages: ['chromium', 'fonts-liberation'], find: findChromium },
  { name: 'Python with httpx, pytest and mypy', packages: ['python3', ...PYTHON_PACKAGES], find: findPython },
  {
    name: 'graphql-core of Python',
    packages: ['python3-graphql-core'],
    find: () => findGraphqlCore().values().next().value,
  },
  { name: 'jq', packages: ['jq'], find: findJq },
  // With systemd, the package would start nginx on port 80.
  { name: 'nginx', packages: ['nginx'], find: findNginx, startsWithSystemd: true },
]
