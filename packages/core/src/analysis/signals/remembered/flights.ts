import { Deferred, Effect, type Fiber } from "effect"

interface Flight<A, E> {
  readonly landed: Deferred.Deferred<A, E>
  waiting: number
  fiber: Fiber.Fiber<unknown> | undefined
}

/**
 * Runs an effect once for all callers that request the same key while it runs. The interruption of one caller does not
 * affect the others. If all callers are interrupted, the effect is interrupted.
 */
export const makeFlights = <A, E>() => {
  const flights = new Map<string, Flight<A, E>>()

  const end = (key: string, flight: Flight<A, E>): void => {
    if (flights.get(key) === flight) flights.delete(key)
  }

  const launch = (key: string, flight: Flight<A, E>, effect: Effect.Effect<A, E>) =>
    Effect.map(
      Effect.forkDetach(Effect.flatMap(Effect.exit(effect), (exit) => {
        end(key, flight)
        return Deferred.done(flight.landed, exit)
      })),
      (fiber) => {
        flight.fiber = fiber
      }
    )

  const leave = (key: string, flight: Flight<A, E>) =>
    Effect.sync(() => {
      flight.waiting--
      if (flight.waiting > 0) return
      end(key, flight)
      flight.fiber?.interruptUnsafe()
    })

  return (key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const running = flights.get(key)
        const flight = running ?? { landed: Deferred.makeUnsafe<A, E>(), waiting: 0, fiber: undefined }
        flight.waiting++
        const wait = Effect.ensuring(restore(Deferred.await(flight.landed)), leave(key, flight))
        if (running !== undefined) return wait
        flights.set(key, flight)
        return Effect.andThen(launch(key, flight, effect), wait)
      })
    )
}
