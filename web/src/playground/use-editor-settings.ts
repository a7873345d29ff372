import { useComputedColorScheme } from '@mantine/core'
import { useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react'
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js'
import { useEffect } from 'react'
import { defineEditorThemes } from './editor-themes.ts'
import { playground as texts } from '../texts/index.ts'
import { theme } from '../theme.ts'

/**
 * Makes the editors part of the page: its colours and type, a name for screen readers, and Tab and Shift+Tab that
 * move on to the next control instead of being caught.
 */
export function useEditorSettings(): void {
  const actions = useGraphiQLActions()
  const scheme = useComputedColorScheme('light')
  const query = useGraphiQL((state) => state.queryEditor)
  const variables = useGraphiQL((state) => state.variableEditor)
  const answer = useGraphiQL((state) => state.responseEditor)

  const monaco = useMonaco((state) => state.monaco)
  useEffect(() => {
    if (monaco) defineEditorThemes(monaco)
    actions.setTheme(scheme)
  }, [monaco, scheme, actions, query, variables, answer])
  useEffect(() => TabFocus.setTabFocusMode(true), [])
  useEffect(() => {
    const settings = {
      tabIndex: 0,
      renderFinalNewline: 'on' as const,
      wordWrap: 'on' as const,
      fontSize: 14,
      fontFamily: theme.fontFamilyMonospace ?? '',
    }
    query?.updateOptions({ ...settings, ariaLabel: texts.question.editorLabel })
    variables?.updateOptions({ ...settings, ariaLabel: texts.question.variablesLabel })
    answer?.updateOptions({ ...settings, ariaLabel: texts.answer.editorLabel })
  }, [query, variables, answer])
}
