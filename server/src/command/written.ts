/** Writes text and waits until the stream takes more. Returns false if its reader, such as `head`, has closed the pipe. */
export async function written(stream: NodeJS.WriteStream, text: string): Promise<boolean> {
  if (text === '' || stream.write(text)) return stream.writable
  return new Promise((resolve) => {
    const go = (): void => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, go)
      resolve(stream.writable)
    }
    for (const event of ['drain', 'close', 'error']) stream.on(event, go)
  })
}
