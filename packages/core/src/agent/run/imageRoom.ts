import { Context, Effect, type Scope, Semaphore } from "effect"
import type { ImageNote } from "../conversation.ts"

/**
 * How many bytes of images the runs of a process hold at once. Each request to a model takes some of their size more
 * while it is sent.
 */
export const ImageRoom = Context.Reference<number>("@tapeline/core/agent/ImageRoom", {
  defaultValue: () => 64 * 1024 * 1024
})

/**
 * Waits until there is room for images, which is given back with the scope. Who came first gets it first, also when
 * there would be room for less; images that are larger than all the room have it to themselves.
 */
export const makeImageRoom = (
  roomBytes: number
): (images: ReadonlyArray<ImageNote>) => Effect.Effect<void, never, Scope.Scope> => {
  const [turn, room] = [Semaphore.makeUnsafe(1), Semaphore.makeUnsafe(roomBytes)]
  return (images) => {
    const bytes = images.reduce((sum, { bytes }) => sum + bytes, 0)
    return bytes === 0 ? Effect.void : turn.withPermit(room.takeScoped(Math.min(bytes, roomBytes)))
  }
}
