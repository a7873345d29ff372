/** A file of the repository that is a page of the manual. */
export interface ManualPage {
  /** The page is `/docs/{slug}`; the first page is `/docs`. */
  slug: string
  /** From the root of the repository. */
  file: string
  /** Short name in the navigation. */
  label: string
}

export interface Chapter {
  title: string
  pages: readonly ManualPage[]
  /** The search skips these pages, so that users and operators find their own pages first. */
  forContributors?: boolean
}

const page = (label: string, slug: string, file = `docs/${slug}.md`): ManualPage => ({ label, slug, file })

/** All pages, in reading order. */
export const contents: readonly Chapter[] = [
  {
    title: 'Start',
    pages: [page('Overview', '', 'docs/README.md'), page('Quick start', 'quick-start'), page('Concepts', 'concepts')],
  },
  {
    title: 'Guides',
    pages: [
      page('Move from a hosted platform', 'guides/migrate'),
      page('Show a leaderboard', 'guides/leaderboard'),
      page('Sign in with Questboard', 'guides/sign-in'),
      page('Gate a page by credential', 'guides/credential-gate'),
      page('Sync roles by credential', 'guides/sync-roles'),
      page('Award points from your backend', 'guides/award-points'),
      page('Example apps', 'examples', 'examples/README.md'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('The query API', 'api'),
      page('Schema', 'schema'),
      page('Errors', 'errors'),
      page('Command line', 'cli'),
      page('OAuth 2.0', 'oauth'),
      page('Webhooks', 'webhooks'),
      page('TypeScript client', 'typescript-client', 'client/README.md'),
      page('Client recipes', 'client'),
      page('Ranks, changes, quest states', 'ranking'),
      page('Differences from hosted platforms', 'differences'),
      page('Changelog', 'changelog'),
    ],
  },
  {
    title: 'Operate',
    pages: [
      page('Deploy', 'deploy'),
      page('Operate the service', 'operations'),
      page('Settings', 'settings'),
      page('Database URLs', 'database-urls'),
      page('Limits and retention', 'limits'),
      page('Monitoring', 'watch'),
      page('Runbook', 'runbook'),
      page('Troubleshooting', 'troubleshooting'),
      page('Backup and restore', 'backup'),
      page('Security', 'security'),
      page('Personal data', 'personal-data'),
      page('Capacity', 'scale'),
      page('The pages', 'pages'),
      page('Import files', 'import'),
      page('Ingest API', 'ingest'),
      page('Keep holder lists current', 'sync'),
      page('Mirror another service', 'mirror'),
      page('Identity kinds', 'identity'),
    ],
  },
  {
    title: 'Contribute',
    forContributors: true,
    pages: [
      page('Contributing', 'contributing', 'CONTRIBUTING.md'),
      page('Architecture', 'architecture'),
      page('Measures', 'measures', 'bench/README.md'),
      page('Results', 'results', 'bench/RESULTS.md'),
    ],
  },
]

export const manualPages: readonly ManualPage[] = contents.flatMap(({ pages }) => pages)

export const contributorPages: readonly ManualPage[] = contents
  .filter(({ forContributors }) => forContributors)
  .flatMap(({ pages }) => pages)

/** The name of the page in the built manual. */
export const outputOf = ({ slug }: ManualPage): string => `${slug === '' ? 'index' : slug}.md`
