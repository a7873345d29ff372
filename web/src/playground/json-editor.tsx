import { checkedJson, jsonLanguage, useEditor } from './use-editor.ts'

export function VariablesEditor({
  label,
  text,
  onChange,
}: {
  label: string
  text: string
  onChange: (text: string) => void
}) {
  const { host } = useEditor({ label, text, onChange, extension: checkedJson })
  return <div className="playground-editor playground-variables" ref={host} />
}

/** The response; it can be read, searched and folded. */
export function JsonViewer({ label, text }: { label: string; text: string }) {
  const { host } = useEditor({ label, text, extension: jsonLanguage })
  return <div className="playground-editor" ref={host} />
}
