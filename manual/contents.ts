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
    title: 'Getting started',
    pages: [
      page('Overview', '', 'docs/README.md'),
      page('Quick start', 'quick-start'),
      page('Your first quest in the browser', 'guides/first-quest'),
      page('Concepts', 'concepts'),
    ],
  },
  {
    title: 'Build an integration',
    pages: [
      page('Move from a hosted platform', 'guides/migrate'),
      page('Show a leaderboard', 'guides/leaderboard'),
      page('Read boards from a browser', 'guides/browser'),
      page('Live boards', 'live'),
      page('Model Context Protocol', 'mcp'),
      page('Sign in with Questboard', 'guides/sign-in'),
      page('Sign in without a server', 'guides/sign-in-without-a-server'),
      page('Sign in to other apps', 'guides/sign-in-to-other-apps'),
      page('Gate a page by credential', 'guides/credential-gate'),
      page('Sync roles by credential', 'guides/sync-roles'),
      page('Award points from your backend', 'guides/award-points'),
      page('Prepare an airdrop', 'guides/airdrop'),
      page('Client recipes', 'client'),
      page('Example apps', 'examples', 'examples/README.md'),
    ],
  },
  {
    title: 'Bring data in',
    pages: [
      page('Create and edit content', 'content'),
      page('Roles', 'roles'),
      page('Keep a programme in git', 'guides/programme-in-git'),
      page('Run a quest', 'guides/run-a-quest'),
      page('Import files', 'import'),
      page('Keep holder lists current', 'sync'),
      page('Mirror another service', 'mirror'),
    ],
  },
  {
    title: 'Run the service',
    pages: [
      page('Deploy', 'deploy'),
      page('Operate the service', 'operations'),
      page('Monitoring', 'watch'),
      page('Runbook', 'runbook'),
      page('Troubleshooting', 'troubleshooting'),
      page('Backup and restore', 'backup'),
      page('Grow a cluster', 'grow-a-cluster'),
      page('Security', 'security'),
      page('Bans', 'bans'),
      page('Personal data', 'personal-data'),
    ],
  },
  {
    title: 'How it works',
    pages: [
      page('Ranks, changes, quest states', 'ranking'),
      page('Ledger of points', 'ledger'),
      page('Quests and claims', 'quests'),
      page('Rules for points', 'rules'),
      page('Identity kinds', 'identity'),
      page('The pages', 'pages'),
      page('Capacity', 'scale'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('The query API', 'api'),
      page('Schema', 'schema'),
      page('Errors', 'errors'),
      page('Ingest API', 'ingest'),
      page('OAuth 2.0', 'oauth'),
      page('Webhooks', 'webhooks'),
      page('Snapshots', 'snapshots'),
      page('TypeScript client', 'typescript-client', 'client/README.md'),
      page('Python client', 'python'),
      page('Command line', 'cli'),
      page('Commands, pages and calls', 'commands-and-pages'),
      page('Settings', 'settings'),
      page('Database URLs', 'database-urls'),
      page('Limits and retention', 'limits'),
      page('Differences from hosted platforms', 'differences'),
      page('Changelog', 'changelog'),
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
