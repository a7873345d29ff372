import type * as monaco from 'monaco-editor'

export const editorThemes = { light: 'questboard-light', dark: 'questboard-dark' }

/** The editor's colours on the page's background; every one of them reaches a contrast of 4.5:1. */
export function defineEditorThemes({ editor }: Pick<typeof monaco, 'editor'>): void {
  editor.defineTheme(editorThemes.light, {
    base: 'vs',
    inherit: true,
    rules: [{ token: 'argument.identifier.gql', foreground: '#5b3cc4' }],
    colors: {
      'editor.background': '#ffffff00',
      'editorLineNumber.foreground': '#5c636a',
      'editorLineNumber.activeForeground': '#212529',
      'editorBracketHighlight.foreground1': '#0431fa',
      'editorBracketHighlight.foreground2': '#1f6e1f',
      'editorBracketHighlight.foreground3': '#7b3814',
    },
  })
  editor.defineTheme(editorThemes.dark, {
    base: 'vs-dark',
    inherit: true,
    rules: [{ token: 'argument.identifier.gql', foreground: '#a99bff' }],
    colors: {
      'editor.background': '#ffffff00',
      'editorLineNumber.foreground': '#a0a0a0',
      'editorLineNumber.activeForeground': '#ffffff',
    },
  })
}
