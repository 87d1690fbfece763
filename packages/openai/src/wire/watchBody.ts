/** The error of a response from which no data arrived for `waitedMs`. */
export class SilenceTimeout extends Error {
  readonly waitedMs: number
  constructor(waitedMs: number) {
    super("silent")
    this.waitedMs = waitedMs
  }
}

/** The body of a response was larger than any valid response. */
class TooLarge extends Error {
  readonly code = "TOO_LARGE"
}

export interface WatchOptions {
  readonly firstMs: number
  readonly idleMs: number
  readonly maxBytes: number
}

/** Wraps a body in a stream that fails after `maxBytes`. The stream also fails if a reader waits too long for data. */
export const watchBody = (
  body: ReadableStream<Uint8Array>,
  { firstMs, idleMs, maxBytes }: WatchOptions
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let bytes = 0
  const readNext = (waitMs: number) => {
    const { promise, reject, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof reader.read>>>()
    const timer = setTimeout(() => reject(new SilenceTimeout(waitMs)), waitMs)
    reader.read().then(resolve, reject).finally(() => clearTimeout(timer))
    return promise
  }
  const cancelReader = (error: unknown) => {
    reader.cancel(error).catch(() => undefined)
    return error
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await readNext(bytes === 0 ? firstMs : idleMs)
        if (done) return controller.close()
        bytes += value.length
        if (bytes > maxBytes) throw new TooLarge()
        controller.enqueue(value)
      } catch (error) {
        controller.error(cancelReader(error))
      }
    },
    cancel: (reason) => reader.cancel(reason)
  }, { highWaterMark: 0 })
}
