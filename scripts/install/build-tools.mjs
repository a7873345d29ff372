import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readText, root } from './checkout.mjs'

/** The workspaces that are only built: the service serves the folder `dist` of each. */
const ONLY_BUILT = ['web', 'manual']

/** The headers of the project's Node. Nothing in this repository compiles native code. */
const UNUSED = /^node_modules\/node-[\w-]+\/(include|share)$/

/** The paths of all locked packages that are not needed once the pages and the manual are built. */
export function buildOnlyPackages() {
  const packages = JSON.parse(readText('package-lock.json')).packages
  const needed = neededBy(
    packages,
    Object.keys(packages).filter((path) => !path.includes('node_modules/') && !ONLY_BUILT.includes(path)),
  )
  return Object.entries(packages)
    .filter(([path, { link, dev }]) => path.includes('node_modules/') && !link && !dev && !needed.has(path))
    .map(([path]) => path)
}

/** The packages that these folders depend on, directly or through others, without development dependencies. */
function neededBy(packages, folders) {
  const found = new Set(folders)
  for (const path of found) {
    const { dependencies, optionalDependencies, peerDependencies, link, resolved } = packages[path] ?? {}
    if (link && !ONLY_BUILT.includes(resolved)) found.add(resolved)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const place = placeOf(path, name, packages)
      if (place !== undefined) found.add(place)
    }
  }
  return found
}

/** Where Node finds a package from the folder of another: in its own node_modules, or in that of a folder above. */
function placeOf(from, name, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[place]) return place
    if (folder === '') return undefined
  }
}

/** Removes more than half of an installation. */
export function removeBuildTools() {
  const headers = readdirSync(join(root, 'node_modules'))
    .flatMap((name) => [`node_modules/${name}/include`, `node_modules/${name}/share`])
    .filter((path) => UNUSED.test(path))
  for (const path of [...buildOnlyPackages(), ...headers])
    if (isOwn(path)) rmSync(join(root, path), { recursive: true })
}

/** Whether it exists in this checkout. What is behind a link belongs to another one. */
function isOwn(path) {
  if (lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined) return false
  return realpathSync(dirname(join(root, path))) === join(realpathSync(root), dirname(path))
}
