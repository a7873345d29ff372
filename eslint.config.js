import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(
  {
    ignores: [
      'eslint.config.js',
      '**/dist/**',
      '**/dist.*/**',
      'scripts/**/*.mjs',
      'server/src/command/questboard.mjs',
      'server/src/public-pages/embed.js',
      'manual/.vitepress/{.temp,cache}/**',
      'test-artifacts/**',
      'bench/.data/**',
      // Their packages are installed on demand; each folder has its own tsconfig.json.
      'bench/references/peers/**',
      'bench/references/redis/**',
    ],
  },
  tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // An async function without await keeps one shape for callers that may await.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    files: ['scripts/**', 'server/src/command/**', 'bench/**', 'packages/*/bench/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['web/src/**'],
    ignores: ['web/src/shell/use-mutation.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@tanstack/react-query',
              importNames: ['useMutation'],
              message: 'Use shell/use-mutation.ts, which ignores the second click of a double click.',
            },
          ],
        },
      ],
    },
  },
  // Generated; a generated column has the type `never` for writes.
  {
    files: ['server/src/database/tables.ts'],
    rules: { '@typescript-eslint/no-redundant-type-constituents': 'off' },
  },
  // The linter does not see the casts of plain JavaScript; the compiler does.
  { files: ['**/*.js'], rules: { '@typescript-eslint/no-unsafe-argument': 'off' } },
)
