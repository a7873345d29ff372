// The package has declarations, but its `exports` do not lead to them.
declare module '@resvg/resvg-wasm' {
  export function initWasm(wasm: Uint8Array): Promise<void>
  export class Resvg {
    constructor(svg: string, options: { font: { fontBuffers: readonly Uint8Array[]; defaultFontFamily: string } })
    render(): { asPng(): Uint8Array; free(): void }
    free(): void
  }
}
