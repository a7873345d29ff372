/** Returns a function that draws `count` different numbers from 1 to `most`, different ones in each call. */
export function drawNumbers(most: number, count: number): () => number[] {
  // A step that shares no divisor with the range visits every number.
  let [next, step] = [1, Math.floor(most * 0.618) | 1]
  while (divisor(step, most) !== 1) step += 2
  return () =>
    Array.from({ length: count }, () => {
      next = (next + step) % most
      return next + 1
    })
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}
