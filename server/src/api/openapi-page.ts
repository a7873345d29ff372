import { createHash } from 'node:crypto'
import type { ApiContent, ApiDescription, ApiOperation, ApiRoute } from './openapi-document.ts'
import type { JsonSchema } from './json-schema.ts'

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; }
h3 { margin-top: 2.5rem; }
h3 code { font-size: 1rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
`

export interface ApiPage {
  html: string
  /** The page loads nothing and has no scripts. */
  contentSecurityPolicy: string
}

/** The document as an HTML page without scripts. */
export function apiPage(about: ApiDescription, routes: readonly ApiRoute[], documentUrl: string): ApiPage {
  const described = routes.flatMap(({ api, ...route }) => (api ? [{ ...route, api }] : []))
  const sections = about.tags.map(({ name, description }) => {
    const own = described.filter(({ api }) => api.tag === name)
    if (own.length === 0) return ''
    return `<h2 id="${escape(name)}">${escape(description)}</h2>\n${own.map(operation).join('\n')}`
  })
  const contents = about.tags.map(
    ({ name, description }) => `<li><a href="#${escape(name)}">${escape(description)}</a>`,
  )
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(about.title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escape(about.title)}</h1>
<p>${marked(about.description)}</p>
<p>For machines: <a href="${escape(documentUrl)}">${escape(documentUrl)}</a> (OpenAPI 3.1).</p>
<ul>${contents.join('')}</ul>
${sections.join('\n')}
</main>
</html>
`
  const hash = createHash('sha256').update(STYLE).digest('base64')
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${hash}'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ]
  return { html, contentSecurityPolicy: policy.join('; ') }
}

function operation({ method, path, api }: ApiRoute & { api: ApiOperation }): string {
  const at = path.replace(/:(\w+)/g, '{$1}')
  const parts = [
    `<h3><code>${escape(`${method} ${at}`)}</code></h3>`,
    `<p><strong>${escape(api.summary)}.</strong> ${marked(api.description ?? '')}</p>`,
  ]
  const [type, body] = Object.entries(api.body?.content ?? {})[0] ?? []
  const parameters = (api.parameters ?? []).map(({ name, description, required }) => ({
    name,
    required: required === true,
    description,
  }))
  const fields = [...parameters, ...fieldsOf(body?.schema)]
  if (fields.length > 0)
    parts.push(
      table(
        ['Field', 'Required', 'Allowed'],
        fields.map((f) => [code(f.name), f.required ? 'yes' : '', escape(f.description)]),
      ),
    )
  if (type !== undefined && body?.example !== undefined)
    parts.push(`<pre tabindex="0">${escape(curl(method, api, at, type, body))}</pre>`)
  parts.push(
    table(
      ['Answer', ''],
      Object.entries(api.answers).map(([status, answer]) => [code(status), marked(answer.description)]),
    ),
  )
  return parts.join('\n')
}

const code = (text: string) => `<code>${escape(text)}</code>`

function table(head: string[], rows: string[][]): string {
  const cells = (tag: string, row: string[]) => `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<div class="scroll" tabindex="0"><table>${cells('th', head)}${rows.map((row) => cells('td', row)).join('')}</table></div>`
}

/** The properties of a body, or of the items of a list in it. */
function fieldsOf(schema: JsonSchema | undefined): { name: string; required: boolean; description: string }[] {
  if (!schema) return []
  const [first] = (schema['anyOf'] as JsonSchema[] | undefined) ?? []
  if (first) return fieldsOf(first)
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  const items = properties['items']?.['items'] as JsonSchema | undefined
  if (items) return fieldsOf(items)
  const required = (schema['required'] ?? []) as string[]
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    description: typeof property['description'] === 'string' ? property['description'] : JSON.stringify(property),
  }))
}

function curl(method: string, api: ApiOperation, path: string, type: string, body: ApiContent[string]): string {
  const query = (api.parameters ?? []).flatMap(({ name, in: place, example }) =>
    place === 'query' ? [`${name}=${String(example)}`] : [],
  )
  const data = typeof body.example === 'string' ? body.example : JSON.stringify(body.example)
  const lines = [`curl -X ${method} "$QUESTBOARD_URL${path}${query.length > 0 ? `?${query.join('&')}` : ''}"`]
  if (api.security?.length) lines.push(`-H "authorization: Bearer $TOKEN"`)
  lines.push(`-H "content-type: ${type}"`, `--data-binary '${data.replaceAll("'", String.raw`'\''`)}'`)
  return lines.join(' \\\n  ')
}

/** Renders \`code\` in plain text. */
function marked(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}
