import { SecretReturned } from "@tapeline/api"
import { AdminStore, CurrentAdminActor, type IdempotencyKeyReused, type StoreUnavailable } from "@tapeline/core"
import { fingerprint } from "@tapeline/core/engine"
import { Effect } from "effect"

/** A change that a request of the admin API requests. */
interface AdminChange<A, E, R> {
  /** The name of the operation of the admin API. */
  readonly operation: string
  /** The parameters and the body of the request. Equal requests have equal values. */
  readonly request: unknown
  readonly headers: { readonly "idempotency-key"?: string | undefined }
  readonly change: Effect.Effect<A, E, R>
}

type ChangeError<E> = E | IdempotencyKeyReused | StoreUnavailable

/**
 * Creates functions that run administrative changes in a transaction. With an idempotency key, a change runs at most
 * once.
 */
export const makeAdminChanges = Effect.map(AdminStore, (store) => {
  /**
   * Runs a change and returns its body. For a repeated request, returns the JSON text that `toStored` made of the first
   * request's body.
   */
  const runOnce = Effect.fnUntraced(function*<A, E, R>(
    { change, headers, operation, request }: AdminChange<A, E, R>,
    toStored: (body: A) => string
  ): Effect.fn.Return<{ readonly body: A } | { readonly stored: string }, ChangeError<E>, R> {
    const key = headers["idempotency-key"]
    if (key === undefined) return { body: yield* store.transact(change) }
    const { actor } = yield* CurrentAdminActor
    let result: { readonly body: A } | undefined
    const stored = yield* store.once(
      { actor, key, fingerprint: yield* fingerprint(operation, request) },
      Effect.map(change, (body) => {
        result = { body }
        return toStored(body)
      })
    )
    return result ?? { stored }
  })
  return {
    /** Runs a change. A repeated request returns the body of the first response. */
    run: <A, E, R>(change: AdminChange<A, E, R>): Effect.Effect<A, ChangeError<E>, R> =>
      Effect.map(
        runOnce(change, JSON.stringify),
        (result) => "body" in result ? result.body : JSON.parse(result.stored)
      ),
    /**
     * Runs a change whose body contains a secret, which is not stored. A repeated request fails with `SecretReturned`.
     */
    runSecret: <A, E, R>(change: AdminChange<A, E, R>): Effect.Effect<A, ChangeError<E> | SecretReturned, R> =>
      Effect.flatMap(
        runOnce(change, () => "null"),
        (result) => "body" in result ? Effect.succeed(result.body) : Effect.fail(new SecretReturned())
      )
  }
})
