/** Readable where the page is light and where it is dark. */
export const STYLE = `<style>
  svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #f0f6fc; --faint: #9198a1; --line: #3d444d; --c0: #58a6ff; --c1: #f0883e; --c2: #3fb950; }
  }
  text { fill: var(--ink); font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
  .title { font-size: 18px; font-weight: 600; } .head { font-weight: 600; } .faint { fill: var(--faint); font-size: 12px; }
  .grid { stroke: var(--line); stroke-width: 1; } .curve { fill: none; stroke-width: 2; }
</style>`

export const PAPER = '<rect width="100%" height="100%" fill="var(--paper)"/>'

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
