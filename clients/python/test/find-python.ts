import { execFileSync } from 'node:child_process'

/** Debian's packages for the Python client and its tests. */
export const PYTHON_PACKAGES = [
  ...['python3-httpx', 'python3-jwt', 'python3-cryptography'],
  ...['python3-pytest', 'python3-pytest-asyncio', 'python3-setuptools', 'python3-wheel', 'mypy'],
]

const MODULES = ['httpx', 'jwt', 'cryptography', 'pytest', 'pytest_asyncio', 'setuptools', 'wheel', 'mypy']

/** A Python from 3.11 that has these packages: PYTHON_PATH, otherwise Debian's or the first in the path. */
export function findPython(): string | undefined {
  const named = process.env.PYTHON_PATH
  return [...(named ? [named] : []), '/usr/bin/python3', 'python3'].find(canRun)
}

function canRun(python: string): boolean {
  const check = `import sys, ${MODULES.join(', ')}; sys.exit(sys.version_info < (3, 11))`
  try {
    execFileSync(python, ['-c', check], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
