import { minuteMs } from "@tapeline/core/market"
import { Effect, Exit, Scope } from "effect"
import type { Socket, SocketEvent } from "../source/index.ts"

/**
 * Opens a new socket whenever the wanted names change. The time between two sockets is reported as a gap.
 *
 * @param open opens a socket that lives until its scope closes.
 */
export const resubscribeOnChange = <A>(
  wantedNames: () => ReadonlyArray<string>,
  open: (
    names: readonly [string, ...ReadonlyArray<string>]
  ) => Effect.Effect<Socket<A>, never, Scope.Scope>
): Effect.Effect<Socket<A>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const outer = yield* Effect.scope
    let current: { readonly names: string; readonly socket: Socket<A>; readonly scope: Scope.Closeable } | undefined
    /** The time up to which all events were received from the current or an earlier socket. */
    let receivedUntil: number | undefined
    let isNew = false

    const reopen = Effect.fnUntraced(function*(names: readonly [string, ...ReadonlyArray<string>]) {
      if (current !== undefined) yield* Scope.close(current.scope, Exit.void)
      const scope = yield* Scope.fork(outer)
      const socket = yield* Scope.provide(open(names), scope)
      current = { names: names.join(" "), socket, scope }
      isNew = true
      return socket
    })

    const withGap = (event: SocketEvent<A>): ReadonlyArray<SocketEvent<A>> => {
      const since = receivedUntil
      if (event._tag === "gap") receivedUntil = event.to
      if (event._tag === "up" || event._tag === "alive") receivedUntil = event.at
      if (event._tag !== "up" || !isNew) return [event]
      isNew = false
      if (since === undefined || since >= event.at) return [event]
      return [{ _tag: "gap", from: since, to: event.at, why: "the subscribed contracts changed" }, event]
    }

    return {
      take: Effect.gen(function*() {
        const [first, ...others] = [...wantedNames()].sort()
        if (first === undefined) return yield* Effect.as(Effect.sleep(minuteMs), [])
        const names = [first, ...others] as const
        const socket = current?.names === names.join(" ") ? current.socket : yield* reopen(names)
        return (yield* socket.take).flatMap(withGap)
      })
    }
  })
