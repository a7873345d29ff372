import { lockedPackages } from '../../../scripts/test/npm-registry.ts'

const packages = lockedPackages('kubernetes-models', import.meta.dirname)

/** Why the schemas cannot be installed, or undefined. */
export const modelsFailure = packages.failure

/** Installs validators and types that are compiled from the OpenAPI schemas of Kubernetes, about 30 MB. */
export const installModels = (): Promise<void> =>
  packages.install('Installing the schemas of Kubernetes for the tests (once)…')

/** The folder of the installed packages. */
export const { modules } = packages
