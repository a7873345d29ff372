// The editor offers no option for this, only a command that toggles it.
declare module 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js' {
  /** Whether Tab moves the focus on, in every editor of the page, instead of writing a tab. */
  export const TabFocus: { setTabFocusMode(moves: boolean): void }
}
