import type {} from 'monaco-editor'
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker'
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker'
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker'

/** Makes the editor start its workers from our own origin, as the Content-Security-Policy requires. */
export function setUpMonacoWorkers(): void {
  window.MonacoEnvironment = {
    getWorker(_id, label) {
      if (label === 'json') return new JsonWorker()
      if (label === 'graphql') return new GraphqlWorker()
      return new EditorWorker()
    },
  }
}
