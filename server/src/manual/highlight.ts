import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import graphql from 'highlight.js/lib/languages/graphql'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import MarkdownIt from 'markdown-it'

/** Text for HTML content and double-quoted attributes. */
export const { escapeHtml } = new MarkdownIt().utils

const languages = { bash, css, dockerfile, graphql, ini, javascript, json, nginx, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** A block of code with marked words; in a language that is not known, as it is. */
export function highlighted(code: string, language: string): string {
  if (!hljs.getLanguage(language)) return escapeHtml(code)
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}
