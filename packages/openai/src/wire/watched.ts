/** Nothing came for too long. */
export class Silent extends Error {
  readonly waitedMs: number
  constructor(waitedMs: number) {
    super("silent")
    this.waitedMs = waitedMs
  }
}

/** The body of an answer was larger than any answer is. */
class TooLarge extends Error {
  readonly code = "TOO_LARGE"
}

export interface Watch {
  readonly firstMs: number
  readonly idleMs: number
  readonly maxBytes: number
}

/**
 * A body that is read only as far as somebody asks for it, and that fails when its source is silent for too long, or
 * does not end. Time counts only while somebody waits for bytes.
 */
export const watched = (
  body: ReadableStream<Uint8Array>,
  { firstMs, idleMs, maxBytes }: Watch
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let bytes = 0
  const next = (waitMs: number) => {
    const { promise, reject, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof reader.read>>>()
    const timer = setTimeout(() => reject(new Silent(waitMs)), waitMs)
    reader.read().then(resolve, reject).finally(() => clearTimeout(timer))
    return promise
  }
  const giveUp = (error: unknown) => {
    reader.cancel(error).catch(() => undefined)
    return error
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await next(bytes === 0 ? firstMs : idleMs)
        if (done) return controller.close()
        bytes += value.length
        if (bytes > maxBytes) throw new TooLarge()
        controller.enqueue(value)
      } catch (error) {
        controller.error(giveUp(error))
      }
    },
    cancel: (reason) => reader.cancel(reason)
  }, { highWaterMark: 0 })
}
