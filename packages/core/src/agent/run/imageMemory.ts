import { Context, Effect, type Scope, Semaphore } from "effect"
import type { ImageNote } from "../conversation.ts"

/**
 * The maximum bytes of images that a process holds in memory for all runs. The copies of images in requests to the
 * model do not count.
 */
export const ImageMemory = Context.Reference<number>("@tapeline/core/agent/ImageMemory", {
  defaultValue: () => 64 * 1024 * 1024
})

/**
 * Returns a function that waits for image memory and releases the memory when the scope closes. Memory is granted
 * strictly first in, first out, and images larger than `maxBytes` get all the memory.
 */
export const makeImageMemory = (
  maxBytes: number
): (images: ReadonlyArray<ImageNote>) => Effect.Effect<void, never, Scope.Scope> => {
  const [turn, memory] = [Semaphore.makeUnsafe(1), Semaphore.makeUnsafe(maxBytes)]
  return (images) => {
    const bytes = images.reduce((sum, { bytes }) => sum + bytes, 0)
    return bytes === 0 ? Effect.void : turn.withPermit(memory.takeScoped(Math.min(bytes, maxBytes)))
  }
}
