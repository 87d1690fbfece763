import { SandboxBusy } from "@tapeline/core/code"
import { Deferred, Effect } from "effect"

export interface TurnsOptions {
  /** How many have a turn at once. */
  readonly places: number
  /** How many may wait. */
  readonly maxWaiting: number
  /** How many of one owner may wait. */
  readonly maxWaitingEach: number
}

/**
 * Turns: so many at once, the others wait, and of the owners that wait each comes once before one of them comes again.
 * `turn` lasts for what it is given, and fails at once where no more may wait.
 */
export const makeTurns = ({ maxWaiting, maxWaitingEach, places }: TurnsOptions) => {
  let free = places
  let waiting = 0
  /** By owner, in the order of their turns. */
  const queues = new Map<number, Array<Deferred.Deferred<void>>>()

  const leaveQueue = (owner: number, turn: Deferred.Deferred<void>): boolean => {
    const queue = queues.get(owner)
    const at = queue?.indexOf(turn) ?? -1
    if (queue === undefined || at === -1) return false
    queue.splice(at, 1)
    waiting--
    if (queue.length === 0) queues.delete(owner)
    return true
  }

  /** Gives a place that is free to the next, whose owner goes to the end of the row. */
  const next = (): void => {
    for (const [owner, queue] of queues) {
      const turn = queue[0]!
      leaveQueue(owner, turn)
      if (queue.length > 0) {
        queues.delete(owner)
        queues.set(owner, queue)
      }
      Deferred.doneUnsafe(turn, Effect.void)
      return
    }
    free++
  }

  const enter = (owner: number): Effect.Effect<Deferred.Deferred<void>, SandboxBusy> =>
    Effect.suspend(() => {
      const turn = Deferred.makeUnsafe<void>()
      if (free > 0) {
        free--
        Deferred.doneUnsafe(turn, Effect.void)
        return Effect.succeed(turn)
      }
      const queue = queues.get(owner) ?? []
      if (waiting >= maxWaiting || queue.length >= maxWaitingEach) return new SandboxBusy()
      queue.push(turn)
      queues.set(owner, queue)
      waiting++
      return Effect.succeed(turn)
    })

  return <A, E, R>(owner: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SandboxBusy, R> =>
    Effect.acquireUseRelease(
      enter(owner),
      (turn) => Effect.andThen(Deferred.await(turn), work),
      // Who leaves while he waits had no place to give back.
      (turn) => Effect.sync(() => leaveQueue(owner, turn) || next())
    )
}
