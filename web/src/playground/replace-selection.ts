import { EditorView } from 'codemirror'

/**
 * Typed text replaces a selection by a transaction of the editor. The browser would copy the selection's colour into a
 * style attribute, which the Content-Security-Policy forbids.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    const text = event.data
    if (event.inputType !== 'insertText' || text === null || main.empty || view.composing) return false
    const insert = () =>
      view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, text, insert))
    if (!isHandled) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})
